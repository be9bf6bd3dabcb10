import type { FlightRecorder } from "@kubewright/replay";
import type { Step } from "../schedule/schedule.ts";
import { Story } from "../story/story.ts";
import { Random } from "../time/random.ts";
import { currentActor } from "../time/virtual-time.ts";
import type { CheckName } from "../world/simulation-options.ts";
import { actions, removeForeignFinalizers } from "./actions.ts";
import {
  checkDeletion,
  checkHealing,
  checkHistory,
  checkIdempotent,
  checkQuiet,
  checkSecrets,
  settle,
} from "./checks.ts";
import { type Simulation, World } from "./world.ts";

/** Result of a schedule. */
export interface Outcome {
  /** Violations. Empty for a success. */
  readonly problems: readonly string[];
  readonly story: Story;
  readonly trace: readonly string[];
}

/**
 * Runs a schedule: performs its steps, ends all faults, and runs the checks.
 *
 * @param recorder records the reconciles. Default: nothing is recorded
 */
export async function runSchedule(
  simulation: Simulation,
  seed: string,
  steps: readonly Step[],
  recorder?: FlightRecorder,
): Promise<Outcome> {
  const story = new Story();
  const isElected = steps.some(({ does }) => does === "addReplica");
  const world = await World.create(simulation, story, seed, { isElected, recorder });
  const onRejection = (reason: unknown): void => {
    if (currentActor.getStore()?.isDead) return;
    world.problems.push(
      `clean: unhandled rejection: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`,
    );
  };
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", onRejection);
  try {
    const problems = await play(world, seed, steps);
    return { problems: [...problems, ...world.problems], story, trace: world.trace };
  } finally {
    await world.close();
    process.off("unhandledRejection", onRejection);
    for (const listener of others) process.on("unhandledRejection", listener);
  }
}

async function play(world: World, seed: string, steps: readonly Step[]): Promise<readonly string[]> {
  const { simulation } = world;
  const { without = {}, holds } = simulation.options;
  await world.startProcess();
  await world.pass(1_000);
  for (const { number, does, afterMs } of steps) {
    await world.pass(afterMs);
    if (world.problems.length > 0) return [];
    world.beginStep();
    await actions[does](world, new Random(`${seed}/step ${number}`), number);
  }
  await world.pass(5_000);
  world.beginStep();
  world.heal();
  await removeForeignFinalizers(world);
  world.tell("check", "the faults end");
  const isSettled = await settle(world);
  if (world.problems.length > 0) return [];
  const applies = (name: CheckName): boolean => without[name] === undefined;
  // A program that is refused the network keeps failing, so this cause is reported first.
  const refused = applies("clean") ? refusedBy(world) : [];
  if (refused.length > 0) return refused;
  const checked = async (name: CheckName, check: () => Promise<readonly string[]>): Promise<readonly string[]> =>
    applies(name) ? check() : [];
  const first = await checked("quiet", async () =>
    isSettled
      ? checkQuiet(world)
      : ["quiet: the program does not settle within 30 minutes after the faults", ...(await checkQuiet(world))],
  );
  if (first.length > 0 || world.problems.length > 0) return first;
  const settled = await world.objects();
  const outside = world.outside();
  const users = await world.userObjects();
  // What users ask for may be impossible, for example not valid. The program then keeps what it made of an earlier value.
  const isPossible = world.controllers().every(({ state }) => state.failing === 0);
  try {
    await holds?.({
      objects: async () => settled,
      get: async (kind, key) => settled.find((each) => each.kind === kind && key === keyText(each.metadata)),
    });
  } catch (error) {
    return [`holds: ${error instanceof Error ? error.message : String(error)}`];
  }
  const later = [
    () => checked("idempotent", () => checkIdempotent(world)),
    () =>
      checked("healing", async () => (isPossible ? checkHealing(world, new Random(`${seed}/healing`), settled) : [])),
    () => checked("clean", () => checkSecrets(world)),
    () => checked("deletion", () => checkDeletion(world)),
    () => checked("clean", () => stopCleanly(world)),
    // The last one, because it resets what is outside of the cluster.
    () =>
      checked("history", async () =>
        isPossible ? checkHistory(world, `${seed}/fresh`, [...settled, ...outside], users) : [],
      ),
  ];
  for (const check of later) {
    world.beginStep();
    const problems = await check();
    if (problems.length > 0 || world.problems.length > 0) return problems;
  }
  return [];
}

const keyText = ({ namespace, name }: { readonly namespace?: string; readonly name: string }): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** Part of check 7: the program uses only the network that it was given. */
const refusedBy = ({ processes }: World): string[] =>
  processes.flatMap(({ refused }) =>
    refused.map((what) => {
      const problem = what.startsWith("start ") ? "starts a process or a thread" : "uses the network";
      return `clean: the program ${problem}: ${what}`;
    }),
  );

/** Part of check 7: the program ends on request, and leaves nothing behind. */
async function stopCleanly(world: World): Promise<string[]> {
  const problems = refusedBy(world);
  for (const process of world.processes) problems.push(...(await process.stop()).map((each) => `clean: ${each}`));
  return problems;
}
