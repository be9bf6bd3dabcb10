import { type PlannedFault, writeFaults } from "../cluster/api-faults.ts";
import type { Actions } from "./action.ts";

const reset = (): Error => Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });

export const apiActions: Actions = {
  cutWatches: [
    5,
    (world, dice) => {
      const error = dice.chance(0.5) ? reset() : undefined;
      for (const process of world.processes) process.cutWatches(error);
      return `all watches are closed${error ? " with an error" : ""}`;
    },
  ],
  compact: [
    2,
    async (world) => {
      await world.store.compact();
      for (const process of world.processes) process.cutWatches(reset());
      return "the API server drops its history, and all watches are closed";
    },
  ],
  apiDown: [
    4,
    (world, dice) => {
      const ms = dice.one([500, 5_000, 25_000]);
      world.api.takeDown(ms);
      for (const process of world.processes) process.cutWatches(reset());
      return `the API server cannot be reached for ${ms} ms`;
    },
  ],
  lag: [
    4,
    (world, dice) => {
      world.api.lagMs = dice.one([0, 100, 1_500, 8_000]);
      return `watches are ${world.api.lagMs} ms late`;
    },
  ],
  spoilWrites: [
    9,
    (world, dice) => {
      const faults: PlannedFault[] = Array.from({ length: 1 + dice.below(5) }, () => ({
        fault: dice.one(writeFaults),
        isDone: dice.chance(0.5),
      }));
      world.api.plan(...faults);
      return `the next writes: ${faults.map(({ fault, isDone }) => `${fault}${isDone ? " (done)" : ""}`).join(", ")}`;
    },
  ],
};
