import { expect, it } from "vitest";
import { type ControllerNumbers, History } from "./history.ts";

const numbers = (reconciles: number, name = "site"): ControllerNumbers => ({
  name,
  queueLength: 3,
  running: 1,
  held: 0,
  failing: 0,
  maxConcurrentReconciles: 1,
  hasStarted: true,
  hasSynced: true,
  gaveUp: 0,
  paused: 0,
  hung: 0,
  unsynced: [],
  totals: { reconciles, errors: reconciles / 10, busyMs: reconciles * 4 },
});

it("returns rates and means between samples of existing controllers, for an hour", () => {
  const history = new History();
  for (let at = 0; at < 1_000; at++) history.add(at * 5_000, [numbers(at * 100)]);
  const { atMs, depth, reconciles, errors, meanMs, failing } = history.of("site");
  for (const list of [atMs, depth, reconciles, errors, meanMs, failing]) expect(list).toHaveLength(720);
  expect([atMs[0], atMs.at(-1)]).toEqual([280 * 5_000, 999 * 5_000]);
  expect([reconciles.at(-1), errors.at(-1), meanMs.at(-1), depth.at(-1)]).toEqual([20, 2, 4, 3]);
  history.add(1e7, [numbers(1, "other")]);
  expect(history.of("site").atMs).toEqual([]);
});

it("starts over for a controller that returns, and returns 0 without reconciles or elapsed time", () => {
  const history = new History();
  history.add(0, [numbers(1_000)]);
  history.add(5_000, []);
  history.add(10_000, [numbers(10)]);
  history.add(15_000, [numbers(10)]);
  history.add(15_000, [numbers(11)]);
  const { atMs, depth, failing, reconciles, errors, meanMs } = history.of("site");
  expect({ atMs, depth, failing }).toEqual({ atMs: [10_000, 15_000, 15_000], depth: [3, 3, 3], failing: [0, 0, 0] });
  expect(reconciles).toEqual([0, 0, 1_000]);
  expect(errors).toEqual([0, 0, 100]);
  expect(meanMs).toEqual([0, 0, 4]);
});

it("measures how long requests have been waiting without a finished reconcile", () => {
  const history = new History();
  const add = (atMs: number, queueLength: number, reconciles: number) =>
    history.add(atMs, [{ ...numbers(reconciles), queueLength }]);
  expect(history.waitedMs("site")).toBe(0);
  add(0, 3, 10);
  add(5_000, 3, 12);
  add(10_000, 2, 12);
  add(15_000, 2, 12);
  add(20_000, 9, 12);
  expect(history.waitedMs("site")).toBe(10_000);
  add(25_000, 9, 13);
  expect(history.waitedMs("site")).toBe(0);
  add(30_000, 0, 13);
  expect(history.waitedMs("site")).toBe(0);
});
