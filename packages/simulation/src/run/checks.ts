import { isRecord } from "@kubewright/apimachinery";
import type { ControllerInspection } from "@kubewright/controller";
import { callText } from "../cluster/api-call.ts";
import { type ClusterObject, keyOfObject } from "../cluster/cluster-object.ts";
import { Story } from "../story/story.ts";
import type { Random } from "../time/random.ts";
import type { Actor } from "../time/virtual-time.ts";
import { differenceText, leftovers, ownDifferences } from "../world/compare.ts";
import { isFree } from "../world/normalise.ts";
import { bare } from "../world/step-values.ts";
import { damage, madeObjects, put, remove } from "./actions.ts";
import { World } from "./world.ts";

const minuteMs = 60_000;
/** Time for which a settled world must not change. */
const quietMs = 10 * minuteMs;
/** Minimum interval between two reconciles of a key that counts as polling, not as a loop. */
const pollMs = 10_000;
/** Time within which the program must revert a change. */
const healingMs = 60_000;
/** Time within which the world must settle after the faults. */
const settlingMs = 30 * minuteMs;
/** Time after which a key that fails is retried at the latest, with the default rate limiter. */
const longestBackoffMs = 17 * minuteMs;
/** Number of objects to damage in each schedule. */
const damages = 2;

/** Maximum number of problems of one kind to report. */
const maxProblems = 3;

/** The part of a {@link World} that {@link settle} needs. */
export interface SettlingWorld extends Pick<World, "problems" | "healedMs" | "forgetWrites" | "pass"> {
  readonly time: Pick<World["time"], "elapsedMs">;
  readonly processes: readonly { readonly actor: Pick<Actor, "stalledUntilMs"> }[];
  readonly writes: readonly unknown[];
  controllers(): readonly { readonly state: Pick<ControllerInspection, "hasSynced" | "running" | "held" | "queue"> }[];
}

/**
 * Advances the time until the program has written nothing for a minute and has retried everything that failed because
 * of faults.
 *
 * @returns false if the program does not settle within 30 minutes
 */
export async function settle(world: SettlingWorld): Promise<boolean> {
  const endMs = world.time.elapsedMs + settlingMs;
  while (world.time.elapsedMs < endMs && world.problems.length === 0) {
    world.forgetWrites();
    await world.pass(minuteMs);
    const isStalled = world.processes.some(({ actor }) => actor.stalledUntilMs > world.time.elapsedMs);
    const isBusy = world.controllers().some(({ state }) => {
      const failures = state.queue?.rows.flatMap(({ failure }) => failure ?? []) ?? [];
      const isUnretried = failures.some(({ isTerminal, lastMs }) => !isTerminal && lastMs < world.healedMs);
      return !state.hasSynced || state.running + state.held > 0 || isUnretried;
    });
    if (world.writes.length === 0 && !isBusy && !isStalled && world.processes.length > 0) return true;
  }
  return false;
}

/**
 * Check 1: in a settled world, the program writes nothing, no reconcile fails, and no key is reconciled more often than
 * polling can explain.
 */
export async function checkQuiet(world: World): Promise<string[]> {
  world.forgetWrites();
  const sinceMs = world.time.nowMs;
  await world.pass(quietMs);
  const problems = writesOf(world).map((write) => `quiet: the program does not stop writing: ${write}`);
  const endMs = world.time.elapsedMs + longestBackoffMs;
  while (
    problems.length === 0 &&
    failuresOf(world).some(isRetriedSince(sinceMs, false)) &&
    world.time.elapsedMs < endMs
  )
    await world.pass(minuteMs);
  for (const { name, state } of world.controllers()) {
    const counts = Map.groupBy(state.reconciles?.filter(({ atMs }) => atMs > sinceMs) ?? [], ({ key }) => key);
    for (const [key, { length }] of counts)
      if (length > quietMs / pollMs + 1)
        problems.push(
          `quiet: controller ${name} reconciled ${key} ${length} times in ${quietMs / minuteMs} minutes in which nothing changed`,
        );
  }
  for (const failed of failuresOf(world)) {
    const { name, key, failure } = failed;
    const text = `controller ${name} keeps failing for ${key}: ${failure.error}`;
    if (isNeverRight(failure.error)) problems.push(`clean: ${text}`);
    else if (!isRefused(failure.error) && isRetriedSince(sinceMs, true)(failed)) problems.push(`quiet: ${text}`);
  }
  return problems.slice(0, maxProblems);
}

type Failed = ReturnType<typeof failuresOf>[number];

/** Returns the keys whose last reconciles failed. */
const failuresOf = (world: World) =>
  world
    .controllers()
    .flatMap(({ name, state }) =>
      (state.queue?.rows ?? []).flatMap(({ key, failure }) => (failure ? [{ name, key, failure }] : [])),
    );

/** Returns a function that reports whether a key that is retried has failed since a time, or not. */
const isRetriedSince =
  (sinceMs: number, expected: boolean) =>
  ({ failure: { isTerminal, lastMs } }: Failed): boolean =>
    !isTerminal && lastMs > sinceMs === expected;

/** Reports whether the API server refused a value, which may be a user's mistake that the program cannot know. */
const isRefused = (error: string): boolean => / is invalid: |denied the request|exceeded quota/.test(error);

/** Reports whether an error cannot be fixed by a retry and is not a user's mistake. */
const isNeverRight = (error: string): boolean =>
  /already exists|object has been modified|is forbidden|field is immutable|Apply failed with \d+ conflict/.test(
    error,
  ) && !/denied the request|exceeded quota/.test(error);

const writesOf = (world: World): string[] =>
  [...new Set(world.writes.map(({ call, name }) => callText(call, name)))].slice(0, maxProblems);

/** Check 2: a newly started process writes nothing in the settled world. */
export async function checkIdempotent(world: World): Promise<string[]> {
  for (const process of [...world.processes]) world.kill(process);
  world.tell("check", "a fresh process starts in the settled world");
  world.forgetWrites();
  await world.startProcess();
  await world.pass(minuteMs);
  return writesOf(world).map((write) => `idempotent: a fresh process writes in the settled world: ${write}`);
}

/** Check 3: the settled world is the same as if the program had only ever seen the users' final objects. */
export async function checkHistory(
  { simulation, hasWebhooks }: Pick<World, "simulation" | "hasWebhooks">,
  seed: string,
  settled: readonly ClusterObject[],
  users: readonly ClusterObject[],
): Promise<string[]> {
  const fresh = await World.create(simulation, new Story(), seed);
  try {
    // Objects can be created only while the program serves its webhooks.
    if (hasWebhooks) {
      await fresh.startProcess();
      await fresh.pass(1_000);
    }
    for (const object of users) {
      const kind = simulation.options.kinds.find(({ kind }) => kind === object.kind);
      if (kind) await put(fresh, kind, bare(object));
    }
    if (!hasWebhooks) await fresh.startProcess();
    await settle(fresh);
    const { remembers } = simulation.options;
    const isCompared = ({ kind }: ClusterObject): boolean => kind !== "Namespace";
    const expected = [...(await fresh.objects()).filter(isCompared), ...fresh.outside()];
    return ownDifferences(settled.filter(isCompared), expected, { remembers })
      .slice(0, maxProblems)
      .map((each) => `history: ${differenceText(each)}, as in a fresh cluster with the same objects`);
  } finally {
    await fresh.close();
  }
}

/** Check 5: after an object is deleted or changed, the program restores the settled world. */
export async function checkHealing(world: World, random: Random, settled: readonly ClusterObject[]): Promise<string[]> {
  const { remembers } = world.simulation.options;
  for (let number = 0; number < damages; number++) {
    const objects = (await madeObjects(world)).filter(({ kind }) => !isFree(kind, { remembers }));
    const object = random.one(objects);
    if (!object) return [];
    const isDeletion = world.damagesOf(object, random).length === 0 || random.chance(0.5);
    if (isDeletion) await remove(world, object, "neighbour");
    else if (!(await damage(world, object, random))) continue;
    await world.pass(healingMs);
    const found = ownDifferences(await world.objects(), settled, { remembers });
    if (found.length > 0)
      return found
        .slice(0, maxProblems)
        .map(
          (each) =>
            `healing: ${isDeletion ? "deleted" : "changed"} ${keyOfObject(object)} is not restored: ${differenceText(each)}`,
        );
  }
  return [];
}

/** Check 4: after all of the users' objects are deleted, nothing that the program created remains. */
export async function checkDeletion(world: World): Promise<string[]> {
  const made = new Set(world.made);
  const users = await world.userObjects();
  for (const object of users) await remove(world, object);
  await settle(world);
  const keys = new Set(users.map(keyOfObject));
  const rest = (await world.objects()).filter(
    (object) => made.has(keyOfObject(object)) || keys.has(keyOfObject(object)),
  );
  const { remembers } = world.simulation.options;
  const outside = world.outside().filter(({ kind }) => !isFree(kind, { remembers }));
  return [...leftovers(rest, []), ...outside.map((each) => `${keyOfObject(each)} still exists`)]
    .slice(0, maxProblems)
    .map((each) => `deletion: ${each} although all objects of the users were deleted`);
}

/** Minimum length of a Secret's value to search for. Shorter values occur by chance. */
const shortestSecret = 6;

/** Part of check 7: no log line, Event or status contains a value from a Secret. */
export async function checkSecrets(world: World): Promise<string[]> {
  const objects = await world.objects();
  const secrets = objects
    .filter(({ kind, apiVersion }) => kind === "Secret" && apiVersion === "v1")
    .flatMap((secret) => {
      const data: unknown = secret.data;
      const values = Object.entries(isRecord(data) ? data : {});
      return values.map(([key, value]) => ({
        name: `${keyOfObject(secret)}, key ${key}`,
        text: Buffer.from(String(value), "base64").toString(),
      }));
    })
    .filter(({ text }) => text.length >= shortestSecret);
  if (secrets.length === 0) return [];
  const { body } = await world.ask("GET", "/api/v1/events");
  const places = [
    ["a log line", world.processes.flatMap(({ lines }) => lines).join("")],
    ["an Event", JSON.stringify(body.items ?? [])],
    ["a status", JSON.stringify(objects.map(({ status }) => status))],
  ] as const;
  return places
    .flatMap(([place, text]) =>
      secrets
        .filter((each) => text.includes(each.text))
        .map(({ name }) => `clean: ${place} contains the value of ${name}`),
    )
    .slice(0, maxProblems);
}
