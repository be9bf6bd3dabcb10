import type { KubeObject } from "@kubewright/apimachinery";
import type { Step } from "../schedule/schedule.ts";
import { Story } from "../story/story.ts";
import { Random } from "../time/random.ts";
import { differences, differenceText, leftovers, ownDifferences } from "../world/compare.ts";
import type { Remembers } from "../world/normalise.ts";
import type { CheckName } from "../world/simulation-options.ts";
import { bare } from "../world/step-values.ts";
import { damage, type ForeignUsers, foreignSteps, put, remove, removeForeignFinalizers } from "./foreign-steps.ts";
import { type ForeignProgram, ForeignWorld } from "./foreign-world.ts";

export interface ForeignSimulation {
  readonly program: ForeignProgram;
  readonly users: ForeignUsers;
  readonly remembers: Remembers;
  /** Checks that do not apply, with the reason for each. */
  readonly without: Partial<Readonly<Record<CheckName, string>>>;
  /** Maximum time for the program to reach an expected state, in milliseconds. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

/** Result of a schedule. */
export interface ForeignOutcome {
  /** Violations, each starting with the name of its check. Empty for a success. */
  readonly problems: readonly string[];
  readonly story: Story;
  /** True if the program sent a write. */
  readonly hasWritten: boolean;
  /** Last lines of the program's output. */
  readonly output: readonly string[];
}

/** Longest gap between two steps, in milliseconds. */
const longestGapMs = 300;
/** Time for the faults of the last step to take effect, in milliseconds. */
const lastFaultsMs = 500;
/** Number of objects to damage in each schedule. */
const damages = 2;
/** Maximum number of problems to report for each check. */
const maxProblems = 3;
const pollMs = 200;

/** Runs a schedule in real time: performs its steps, ends all faults, and runs the checks. */
export async function runForeignSchedule(
  simulation: ForeignSimulation,
  seed: string,
  steps: readonly Step[],
): Promise<ForeignOutcome> {
  const story = new Story();
  await using world = await ForeignWorld.start(simulation.program, story, simulation.signal);
  const found = await play(simulation, world, seed, steps);
  const problems = found.length > 0 ? found : simulation.without.clean === undefined ? world.problems : [];
  return { problems, story, hasWritten: world.hasWritten, output: world.lastLines(8) };
}

async function play(
  simulation: ForeignSimulation,
  world: ForeignWorld,
  seed: string,
  steps: readonly Step[],
): Promise<readonly string[]> {
  const { users, without, patienceMs } = simulation;
  await world.startProcess();
  await world.settle(patienceMs);
  const before = await world.ownObjects();
  world.isFaulty = true;
  for (const { number, does, afterMs } of steps) {
    await world.sleep(Math.min(afterMs, longestGapMs));
    await world.noteVersion();
    await foreignSteps[does]?.(world, users, new Random(`${seed}/step ${number}`));
  }
  await world.sleep(lastFaultsMs);
  world.heal();
  await removeForeignFinalizers(world);
  world.tell("check", "the faults end");
  world.forgetWrites();
  const isSettled = await world.settle(patienceMs);
  world.isFaulty = false;
  if (world.problems.length > 0 && without.clean === undefined) return [];
  if (!isSettled && without.quiet === undefined) return [quietText(world, patienceMs)];
  const settled = await world.ownObjects();
  const final = (await world.userObjects()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  // Two programs at a time would need the same ports.
  await world.stopProcess();
  const checks: readonly (readonly [CheckName, () => Promise<readonly string[]>])[] = [
    ["history", () => checkHistory(simulation, world, settled, final)],
    ["idempotent", () => checkIdempotent(world, settled)],
    ["healing", () => checkHealing(simulation, world, new Random(`${seed}/healing`), settled)],
    ["deletion", () => checkDeletion(simulation, world, before)],
  ];
  for (const [name, check] of checks) {
    if (name === "idempotent") await restartForChecks(simulation, world);
    const problems = without[name] === undefined ? await check() : [];
    if (problems.length > 0) return problems.slice(0, maxProblems);
  }
  return [];
}

function quietText(world: ForeignWorld, patienceMs: number): string {
  const writes = [...new Set(world.writes.slice(-20))].slice(0, maxProblems);
  const what =
    writes.length > 0 ? `the program does not stop writing: ${writes.join("; ")}` : "the world does not settle";
  return `quiet: ${patienceMs / 1_000} s after the faults, ${what}`;
}

async function restartForChecks({ patienceMs }: ForeignSimulation, world: ForeignWorld): Promise<void> {
  world.tell("check", "a fresh process starts in the settled world");
  world.forgetWrites();
  await world.startProcess();
  await world.settle(patienceMs);
}

/** Check 2: a fresh process changes nothing in the settled world. It has already been started. */
async function checkIdempotent(world: ForeignWorld, settled: readonly KubeObject[]): Promise<string[]> {
  const versions = new Map(settled.map(({ metadata: { uid, resourceVersion } }) => [uid, resourceVersion]));
  const now = await world.ownObjects();
  const isSame =
    now.length === settled.length &&
    now.every(({ metadata: { uid, resourceVersion } }) => versions.get(uid) === resourceVersion);
  if (isSame) return [];
  const writes = [...new Set(world.writes)].slice(0, maxProblems).join("; ");
  const found = differences(now, settled).map(differenceText);
  return [
    `idempotent: a fresh process writes in the settled world: ${writes}${found.length > 0 ? ` (${found[0]})` : ""}`,
  ];
}

/** Check 3: the settled world equals the world of a program that saw only the users' final objects. */
async function checkHistory(
  simulation: ForeignSimulation,
  world: ForeignWorld,
  settled: readonly KubeObject[],
  final: readonly KubeObject[],
): Promise<string[]> {
  const { program, remembers, patienceMs, signal } = simulation;
  await using fresh = await ForeignWorld.start(program, new Story(), signal);
  fresh.touch(world.touched);
  for (const object of final) await put(fresh, bare(object));
  await fresh.startProcess();
  await fresh.settle(patienceMs);
  // Objects that are being deleted wait for something that is not part of the simulation.
  const isKept = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp === undefined;
  const compare = async (): Promise<string[]> =>
    ownDifferences(settled.filter(isKept), (await fresh.ownObjects()).filter(isKept), { remembers }).map(
      (each) => `history: ${differenceText(each)}, as in a fresh cluster with the same objects`,
    );
  return await stillFound(fresh, patienceMs, compare); // before the world is closed
}

/** Check 5: after an object was deleted or changed, the program restores the settled world. */
async function checkHealing(
  { remembers, patienceMs }: ForeignSimulation,
  world: ForeignWorld,
  random: Random,
  settled: readonly KubeObject[],
): Promise<string[]> {
  for (let number = 0; number < damages; number++) {
    const object = random.one(await world.madeObjects());
    if (!object) return [];
    const isDeletion = random.chance(0.5);
    if (isDeletion) await remove(world, object, "neighbour");
    else if (!(await damage(world, object, random))) continue;
    const what = `${isDeletion ? "deleted" : "changed"} ${object.kind} ${object.metadata.name}`;
    const problems = await stillFound(world, patienceMs, async () =>
      ownDifferences(await world.ownObjects(), settled, { remembers }).map(
        (each) => `healing: the ${what} is not restored: ${differenceText(each)}`,
      ),
    );
    if (problems.length > 0) return problems;
  }
  return [];
}

/** Check 4: after all of the users' objects were deleted, nothing that the program created remains. */
async function checkDeletion(
  { patienceMs }: ForeignSimulation,
  world: ForeignWorld,
  before: readonly KubeObject[],
): Promise<string[]> {
  for (const object of await world.userObjects()) await remove(world, object);
  return stillFound(world, patienceMs, async () =>
    leftovers(await world.ownObjects(), before).map(
      (each) => `deletion: ${each} although all objects of the users were deleted`,
    ),
  );
}

/** Repeats a check until it finds no problems or the time is over. Returns the last problems. */
async function stillFound(world: ForeignWorld, patienceMs: number, check: () => Promise<string[]>): Promise<string[]> {
  const endMs = world.elapsedMs + patienceMs;
  let problems = await check();
  while (problems.length > 0 && world.elapsedMs < endMs && world.problems.length === 0) {
    await world.sleep(pollMs);
    problems = await check();
  }
  return problems;
}
