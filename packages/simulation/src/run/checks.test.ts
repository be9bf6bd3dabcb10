import type { QueueRow } from "@kubewright/controller";
import { expect, it } from "vitest";
import { type SettlingWorld, settle } from "./checks.ts";

const healedMs = 1_000_000;
const minuteMs = 60_000;

/** A world that has settled after its faults, unless `change` returns other properties for a number of minutes that have passed. */
function worldOf(change: (minutes: number) => Partial<SettlingWorld>): SettlingWorld {
  let minutes = 0;
  const controller = { hasSynced: true, running: 0, held: 0 };
  return {
    time: { elapsedMs: 0 },
    problems: [],
    healedMs,
    processes: [{ actor: { stalledUntilMs: 0 } }],
    writes: [],
    controllers: () => [{ state: controller }],
    forgetWrites: () => {},
    async pass(ms) {
      expect(ms).toBe(minuteMs);
      minutes++;
      Object.assign(this, change(minutes), { time: { elapsedMs: minutes * minuteMs } });
    },
  };
}

/** Returns the state of a controller with a key whose last reconcile failed. */
function failing(lastMs: number, isTerminal = false): Partial<SettlingWorld> {
  const failure = { error: "timed out", times: 1, sinceMs: lastMs, lastMs, isTerminal, causes: [] };
  const row: QueueRow = { key: "default/north", state: "failing", causes: [], requeues: 1, failure };
  const state = { hasSynced: true, running: 0, held: 0, queue: { rows: [row], total: 1, isWhole: true } };
  return { controllers: () => [{ state }] };
}

const state = (changed: object) => ({
  controllers: () => [{ state: { hasSynced: true, running: 0, held: 0, ...changed } }],
});

/** Returns the number of minutes after which a world settles; undefined if it does not. */
async function settled(change: (minutes: number) => Partial<SettlingWorld>): Promise<number | undefined> {
  const world = worldOf(change);
  return (await settle(world)) ? world.time.elapsedMs / minuteMs : undefined;
}

it("waits until work that failed during the faults has been retried", async () => {
  expect(await settled((minutes) => failing(minutes < 4 ? healedMs - 1 : healedMs))).toBe(4);
  expect(await settled(() => failing(healedMs - 1))).toBeUndefined();
});

it("does not wait for failures that are never retried", async () => {
  expect(await settled(() => failing(healedMs - 1, true))).toBe(1);
});

it.each<[string, Partial<SettlingWorld>, Partial<SettlingWorld>]>([
  ["has written something", { writes: ["patch"] }, { writes: [] }],
  ["is reconciling", state({ running: 1 }), state({})],
  ["holds a key back", state({ held: 1 }), state({})],
  ["has not read its kinds", state({ hasSynced: false }), state({})],
  ["stalls", { processes: [{ actor: { stalledUntilMs: 5 * minuteMs } }] }, {}],
  ["is not running", { processes: [] }, { processes: [{ actor: { stalledUntilMs: 0 } }] }],
])("waits while the program %s", async (_, busy, idle) => {
  expect(await settled((minutes) => (minutes < 5 ? busy : idle))).toBe(5);
});

it("ends as soon as a problem is found", async () => {
  const problems = ["clean: unhandled rejection"];
  const world = worldOf((minutes) => ({ writes: ["patch"], ...(minutes === 2 ? { problems } : {}) }));
  expect([await settle(world), world.time.elapsedMs]).toEqual([false, 2 * minuteMs]);
});
