import { expect, it } from "vitest";
import { ServiceReservations } from "./service-reservations.ts";

const read = (reservations: ServiceReservations, owner: string, list: () => Promise<void> = async () => {}) =>
  reservations.whileReading(list, (_, reservedBeside) => reservedBeside(owner));

it("hides a request's allocation from all others while it is in progress", async () => {
  const reservations = new ServiceReservations();
  reservations.reserve(30_001, "a", new AbortController().signal);
  expect(await read(reservations, "a")).toEqual([]);
  expect(await read(reservations, "b")).toEqual([30_001]);
  expect(await read(reservations, "b")).toEqual([30_001]);
});

it("a read that began before the end of a request may miss its write; a later one does not", async () => {
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

it("any later list shows allocations of finished requests", async () => {
  const reservations = new ServiceReservations();
  await read(reservations, "b");
  reservations.reserve(30_001, "a", AbortSignal.abort());
  expect(await read(reservations, "b")).toEqual([]);
});

it("forgets only allocations that every reader could have seen", async () => {
  const reservations = new ServiceReservations();
  const request = new AbortController();
  const slow = Promise.withResolvers<void>();
  reservations.reserve(30_001, "a", request.signal);
  await read(reservations, "b");
  expect(reservations.size).toBe(1); // in progress
  const early = read(reservations, "b", () => slow.promise);
  request.abort();
  await read(reservations, "b");
  expect(reservations.size).toBe(1); // the early one has not read yet
  slow.resolve();
  expect(await early).toEqual([30_001]);
  expect(reservations.size).toBe(0);
});

it("forgets nothing as long as only earlier lists have been read", async () => {
  const reservations = new ServiceReservations();
  const request = new AbortController();
  reservations.reserve(30_001, "a", request.signal);
  await read(reservations, "b", async () => request.abort());
  expect(reservations.size).toBe(1);
  expect(await read(reservations, "b")).toEqual([]);
  expect(reservations.size).toBe(0);
});
