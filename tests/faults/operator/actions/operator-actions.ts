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
  standby: [
    2,
    (world, dice) => {
      world.replicas = 1 + dice.below(2);
      if (world.processes.length > world.replicas) world.processes[0]?.stop();
      return `the number of operator processes becomes ${world.replicas}`;
    },
  ],
};
