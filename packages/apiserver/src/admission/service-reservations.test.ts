import { expect, it } from "vitest";
import { ServiceReservations } from "./service-reservations.ts";

const read = (reservations: ServiceReservations, owner: string, list: () => Promise<void> = async () => {}) =>
  reservations.whileReading(list, (_, reservedBeside) => reservedBeside(owner));

it("keeps what a request was given from all others while it is under way", async () => {
  const reservations = new ServiceReservations();
  reservations.reserve(30_001, "a", new AbortController().signal);
  expect(await read(reservations, "a")).toEqual([]);
  expect(await read(reservations, "b")).toEqual([30_001]);
  expect(await read(reservations, "b")).toEqual([30_001]);
});

it("a read that began before the request was over may not show what it wrote; one that began later does", async () => {
  const reservations = new ServiceReservations();
  const request = new AbortController();
  const slow = Promise.withResolvers<void>();
  const early = read(reservations, "b", () => slow.promise);
  reservations.reserve("10.0.0.7", "a", request.signal);
  request.abort();
  expect(await read(reservations, "c")).toEqual([]);
  slow.resolve();
  expect(await early).toEqual(["10.0.0.7"]);
});
