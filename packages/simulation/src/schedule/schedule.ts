import { Random } from "../time/random.ts";

/** All possible steps, grouped by fault class, each with its weight. */
const stepClasses = {
  users: { create: 5, change: 8, delete: 2, recreate: 1 },
  "intermediate states": { killBeforeWrite: 3, killAfterWrite: 3, restart: 1, addReplica: 0.7 },
  "stale states": { lag: 2, restartWhileLagging: 1, shortLife: 1, deleteWhileDown: 0.7 },
  "unobserved states": { cutWatch: 1, relist: 1, unseenRecreation: 1 },
  "API faults": { failRequests: 4 },
  time: { stall: 1, jump: 1, dayPasses: 0.5 },
  neighbours: { deleteOwned: 1, changeOwned: 1, relabelOwned: 1, foreignFinalizer: 0.5, deleteNamespace: 0.3 },
  "outside world": { outsideFault: 2 },
} as const;

/** A class of faults that schedules may contain. */
export type FaultClass = Exclude<keyof typeof stepClasses, "users">;

type Union<T> = T extends unknown ? keyof T : never;
export type StepName = Union<(typeof stepClasses)[keyof typeof stepClasses]>;

/** One step of a schedule. */
export interface Step {
  /**
   * Number of the step in the original schedule. The step's random choices depend only on this number, so they remain
   * the same when other steps are removed.
   */
  readonly number: number;
  readonly does: StepName;
  /** Wait before the step, in milliseconds of virtual time. */
  readonly afterMs: number;
}

/** Minimum and maximum number of steps in a schedule. */
const [fewestSteps, mostSteps] = [6, 16] as const;
/** One out of this number of schedules kills the program at each write in turn. */
const sweepInterval = 5;
const kills = ["killBeforeWrite", "killAfterWrite"] as const;
const causes = ["change", "change", "create", "recreate"] as const;
/** One out of this number of schedules makes replicas take over from each other, and the place of the first one. */
const [handoverInterval, firstHandover] = [20, 7] as const;
const ends = ["stall", "stall", "restart"] as const;
const gapsMs = [0, 0, 3, 20, 300, 2_000, 20_000] as const;

const weights: readonly (readonly [StepName, number])[] = Object.values(stepClasses).flatMap((steps) =>
  Object.entries(steps).map(([name, weight]) => [name as StepName, weight] as const),
);
const total = weights.reduce((sum, [, weight]) => sum + weight, 0);

const classes = new Map<StepName, string>(
  Object.entries(stepClasses).flatMap(([name, steps]) => Object.keys(steps).map((step) => [step as StepName, name])),
);

/**
 * Returns the steps of a schedule.
 *
 * @param without classes of faults whose steps are omitted; the other steps remain the same
 */
export function scheduleOf(
  seed: number,
  number: number,
  without: Partial<Readonly<Record<FaultClass, string>>> = {},
): Step[] {
  const random = new Random(`${seed}/${number}`);
  const hasKills = without["intermediate states"] === undefined;
  if (hasKills && number % sweepInterval === sweepInterval - 1) return sweepOf(random);
  const isHandover = hasKills && number % handoverInterval === firstHandover;
  const steps = isHandover ? handoversOf(random) : mixedSteps(random);
  return steps.filter(({ does }) => !Object.hasOwn(without, classes.get(does) ?? ""));
}

/** Returns steps of all classes. */
function mixedSteps(random: Random): Step[] {
  const count = random.between(fewestSteps, mostSteps);
  const steps: Step[] = [];
  for (let at = 0; at < count; at++) {
    const does = at === 0 ? "create" : stepAt(random.next() * total);
    steps.push({ number: at, does, afterMs: at === 0 ? 0 : random.one(gapsMs) });
  }
  return steps;
}

/** Returns steps in which the leader stalls or is killed while it works, so that a replica takes over. */
function handoversOf(random: Random): Step[] {
  const steps: Step[] = [{ number: 0, does: "create", afterMs: 0 }];
  while (steps.length < mostSteps - 2) {
    const number = steps.length;
    // The previous Lease must have expired.
    steps.push({ number, does: "addReplica", afterMs: 20_000 });
    steps.push({ number: number + 1, does: random.one(causes), afterMs: 60_000 });
    // At any point of a reconcile that takes up to a minute.
    const afterMs = random.chance(0.3) ? random.one([0, 300]) : random.below(60_000);
    steps.push({ number: number + 2, does: random.one(ends), afterMs });
  }
  return steps;
}

/** Returns steps that kill the program repeatedly while users act, so that it is killed at each of its writes. */
function sweepOf(random: Random): Step[] {
  const steps: Step[] = [{ number: 0, does: "create", afterMs: 0 }];
  while (steps.length < mostSteps - 1) {
    const number = steps.length;
    // The program must have written before, because it is killed at one of its known writes.
    steps.push({ number, does: random.one(kills), afterMs: 5_000 });
    steps.push({ number: number + 1, does: random.one(causes), afterMs: random.one([0, 3, 300]) });
  }
  return steps;
}

function stepAt(place: number): StepName {
  let left = place;
  for (const [name, weight] of weights) {
    left -= weight;
    if (left < 0) return name;
  }
  return "change";
}
