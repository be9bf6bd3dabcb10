import type { Actions } from "./action.ts";

export const operatorActions: Actions = {
  kill: [
    5,
    (world, dice) => {
      const process = dice.one(world.processes);
      process?.kill();
      return process && "a process of the operator is killed";
    },
  ],
  stop: [
    4,
    (world, dice) => {
      const process = dice.one(world.processes);
      process?.stop();
      return process && "a process of the operator gets SIGTERM";
    },
  ],
  // Only in schedules in which changes are confirmed.
  cutBranch: [
    0,
    (world, dice) => {
      const ms = dice.one([4_000, 15_000, 60_000]);
      world.isCut = true;
      world.clock.after(ms, () => {
        world.isCut = false;
      });
      return `all probes fail for ${ms} ms`;
    },
  ],
  standby: [
    2,
    (world, dice) => {
      world.replicas = 1 + dice.below(2);
      if (world.processes.length > world.replicas) world.processes[0]?.stop();
      return `the number of operator processes becomes ${world.replicas}`;
    },
  ],
};
