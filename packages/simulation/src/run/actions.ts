import { isRecord } from "@kubewright/apimachinery";
import { resourceText } from "../cluster/api-call.ts";
import { type ClusterObject, keyOfObject } from "../cluster/cluster-object.ts";
import type { StepName } from "../schedule/schedule.ts";
import type { Random } from "../time/random.ts";
import { pathText, withChange } from "../users/properties.ts";
import { resourceOf, schemaOf, type UserKind } from "../users/user-kind.ts";
import { newObject } from "../users/user-objects.ts";
import {
  bare,
  foreignFinalizer,
  otherNamespace,
  randomFault,
  randomLabels,
  refusalText,
  valueText,
} from "../world/step-values.ts";
import type { World } from "./world.ts";

/** Carries out a step. Does nothing if the step is not possible, for example because no object exists. */
type Action = (world: World, random: Random, number: number) => Promise<void> | void;

const defaultNamespace = "default";
/** Maximum number of changes to an object to try until the server accepts one. */
const maxAttempts = 4;
const merge = "application/merge-patch+json";

/** The action for each step. */
export const actions: Readonly<Record<StepName, Action>> = {
  create: async (world, random) => {
    const kind = random.one(world.simulation.options.kinds);
    if (kind) await create(world, kind, random.chance(0.15) ? otherNamespace : defaultNamespace, random);
  },

  change: async (world, random) => {
    const object = random.one(await world.userObjects());
    if (object) await change(world, object, random);
  },

  delete: async (world, random) => {
    const object = random.one(await world.userObjects());
    if (object) await remove(world, object);
  },

  recreate: async (world, random) => {
    const object = random.one(await world.userObjects());
    if (!object) return;
    await remove(world, object);
    const kind = kindOf(world, object);
    if (kind) await put(world, kind, bare(object));
  },

  killBeforeWrite: (world, random) => killAt(world, "before", random),
  killAfterWrite: (world, random) => killAt(world, "after", random),
  restart: (world) => {
    const [process] = world.processes;
    if (!process) return;
    world.tell("fault", "the program is killed");
    world.kill(process);
  },

  addReplica: async (world) => {
    const isElected = world.processes.some((process) =>
      process.askManagers(({ leadership }) => leadership.isElected).includes(true),
    );
    if (!isElected || world.processes.length > 1) return;
    const { actor } = await world.startProcess();
    world.tell("fault", `a second replica starts: ${actor.name}`);
  },

  lag: (world, random) => void lag(world, random),
  restartWhileLagging: (world, random) => {
    const resource = random.chance(0.75) ? touchedResource(world, random) : undefined;
    restartLagging(world, resource, world.pastVersion, random);
  },

  shortLife: async (world, random) => {
    const resource = madeResource(world, random);
    if (resource === undefined) return;
    lagOn(world, resource, random.one([5_000, 30_000]));
    const object = await createBriefly(world, random);
    if (object) await remove(world, object);
  },

  deleteWhileDown: async (world, random) => {
    const resource = madeResource(world, random);
    const version = world.cluster.newestVersion;
    const object = resource === undefined ? undefined : await createBriefly(world, random);
    if (!object || resource === undefined) return;
    restartLagging(world, resource, version, random);
    await remove(world, object);
  },

  cutWatch: (world, random) => {
    const resource = touchedResource(world, random);
    world.tell("fault", `the watch on ${resource} breaks`);
    world.faults?.cut(resource, false);
  },
  relist: (world, random) => {
    const resource = touchedResource(world, random);
    const ms = random.one([0, 1_000, 5_000, 30_000]);
    if (ms === 0) {
      world.tell("fault", `the watch on ${resource} breaks, and its version is too old`);
      return world.faults?.cut(resource, true);
    }
    const end = world.faults?.lag(resource, world.cluster.newestVersion);
    if (!end) return;
    const length = `${ms / 1_000} s`;
    world.tell("fault", `for ${length}, the program sees no changes to ${resource}, and then only the resulting state`);
    world.time.after(ms, world.neighbour, () => end(true));
  },
  unseenRecreation: async (world, random) => {
    const object = random.one(await world.userObjects());
    const kind = object && kindOf(world, object);
    const resource = kind && resourceText(resourceOf(kind));
    if (!object || !kind || !resource) return;
    const end = world.faults?.lag(resource, Number(object.metadata.resourceVersion));
    world.tell("fault", `the program does not see changes to ${resource}`);
    await remove(world, object);
    await world.pass(random.one([0, 100, 3_000]));
    await put(world, kind, bare(object));
    end?.(true);
    world.tell("fault", `its watch on ${resource} breaks, and its version is too old`);
  },

  failRequests: (world, random) => {
    world.faults?.arm(randomFault(random), random.one([1, 1, 2, 5]));
  },

  stall: async (world, random) => {
    const [process] = world.processes;
    const isReplicated = world.processes.length > 1;
    // If a replica waits, until it has taken over.
    const ms = isReplicated ? 90_000 : random.one([1_000, 12_000, 40_000]);
    if (!process) return;
    world.tell("fault", `the event loop of ${process.actor.name} stalls for ${ms / 1_000} s`);
    process.actor.stalledUntilMs = world.time.elapsedMs + ms;
    if (isReplicated) await world.pass(ms + 1_000);
  },

  jump: (world, random) => {
    const [process] = world.processes;
    const minutes = random.one([-60, -2, 2, 60]);
    if (!process) return;
    world.tell("fault", `the clock of ${process.actor.name} jumps by ${minutes} min`);
    process.actor.skewMs += minutes * 60_000;
  },

  dayPasses: async (world) => {
    world.tell("fault", "a day passes");
    // In steps, because a day of watches that are idle takes long.
    for (let hour = 0; hour < 24; hour += 2) {
      await world.time.leap(2 * 3_600_000);
      await world.pass(1_000);
    }
  },

  outsideFault: (world, random) => {
    const one = random.one((world.simulation.options.world ?? []).filter(({ faults }) => faults !== undefined));
    const what = one?.faults?.(random.next);
    if (one && typeof what === "string") world.tell("fault", `${one.name}: ${what}`);
  },

  deleteOwned: async (world, random) => {
    const object = random.one(await madeObjects(world));
    if (object) await remove(world, object, "neighbour");
  },

  changeOwned: async (world, random) => {
    const object = random.one(await madeObjects(world));
    if (object) await damage(world, object, random);
  },

  relabelOwned: async (world, random) => {
    const object = random.one(await madeObjects(world));
    if (!object) return;
    const labels = randomLabels(object, random);
    await patch(world, object, { metadata: { labels } }, `sets the labels ${JSON.stringify(labels)} on`);
  },

  foreignFinalizer: async (world, random) => {
    const object = random.one(await madeObjects(world));
    if (!object) return;
    const finalizers = [...(object.metadata.finalizers ?? []), foreignFinalizer];
    await patch(world, object, { metadata: { finalizers } }, "adds a finalizer to");
  },

  deleteNamespace: async (world) => {
    const { status } = await world.ask("GET", `/api/v1/namespaces/${otherNamespace}`);
    if (status !== 200) return;
    world.tell("fault", `a neighbour deletes the namespace ${otherNamespace}`);
    world.cluster.touch({ group: "", version: "v1", resource: "namespaces", isNamespaced: false }, "Namespace");
    await world.ask("DELETE", `/api/v1/namespaces/${otherNamespace}`, undefined, { by: world.neighbour });
  },
};

/** Removes the finalizers that neighbours have set. */
export async function removeForeignFinalizers(world: World): Promise<void> {
  for (const object of await world.objects()) {
    const { finalizers = [] } = object.metadata;
    if (!finalizers.includes(foreignFinalizer)) continue;
    const rest = finalizers.filter((each) => each !== foreignFinalizer);
    await patch(world, object, { metadata: { finalizers: rest } }, "removes its finalizer from");
  }
}

/**
 * Kills the program at one of the writes that its reconciles have sent so far, preferably one at which it has not been
 * killed yet.
 */
function killAt(world: World, when: "before" | "after", random: Random): void {
  const [process] = world.processes;
  const seen = [...world.reconcileWrites];
  const left = seen.filter((write) => !world.triedKills.has(`${when} ${write}`));
  const chosen = random.one(left.length > 0 ? left : seen);
  const start = `write ${random.one([1, 1, 2, 2, 3])} of `;
  if (!process) return;
  if (chosen !== undefined) world.triedKills.add(`${when} ${chosen}`);
  const isAt = (write: string): boolean => (chosen === undefined ? write.startsWith(start) : write === chosen);
  world.faults?.killAt(isAt, when, (write) => {
    world.simulation.killedAt.add(`${when} ${write}`);
    world.kill(process);
  });
}

const lagsMs = [1_000, 5_000, 30_000, 90_000] as const;

function lag(world: World, random: Random): void {
  const resource = random.chance(0.75) ? touchedResource(world, random) : undefined;
  lagOn(world, resource, random.one(lagsMs));
}

/** Lets the program see changes of a resource late, or of all of them. */
function lagOn(world: World, resource: string | undefined, ms: number): void {
  const end = world.faults?.lag(resource, world.cluster.newestVersion);
  if (!end) return;
  world.tell("fault", `the program sees changes to ${resource ?? "everything"} ${ms / 1_000} s late`);
  world.time.after(ms, world.neighbour, () => end());
}

/** Kills the program, and lets it start again at an API server whose cache of a resource, or of all of them, shows an old version. */
function restartLagging(world: World, resource: string | undefined, version: number, random: Random): void {
  const ms = random.one(lagsMs);
  const [process] = world.processes;
  if (!process) return;
  const what = resource === undefined ? "" : ` of ${resource}`;
  world.tell("fault", `the program is killed and restarts against an API server whose cache${what} lags behind`);
  world.kill(process, (faults) => {
    const end = faults.lag(resource, version, { isOldServer: true });
    world.time.after(ms, world.neighbour, () => end());
  });
}

/** Returns a resource whose objects were created by the program and not by the users. */
function madeResource(world: World, random: Random): string | undefined {
  const ofUsers = new Set(world.simulation.options.kinds.map((each) => resourceText(resourceOf(each))));
  return random.one(world.cluster.touched.map(resourceText).filter((resource) => !ofUsers.has(resource)));
}

/** Creates an object on behalf of the users, and returns it after a short time; undefined if it does not exist. */
async function createBriefly(world: World, random: Random): Promise<ClusterObject | undefined> {
  const kind = random.one(world.simulation.options.kinds);
  if (!kind) return undefined;
  const object = newObject(kind, world.simulation.options.users?.[kind.kind], defaultNamespace, random);
  await put(world, kind, object);
  await world.pass(random.one([100, 3_000]));
  const { name } = object.metadata;
  return (await world.userObjects()).find((each) => each.kind === kind.kind && each.metadata.name === name);
}

function touchedResource(world: World, random: Random): string | undefined {
  const one = random.one(world.cluster.touched);
  return one && resourceText(one);
}

/** Returns the existing objects that the program created. */
export async function madeObjects(world: World): Promise<ClusterObject[]> {
  const objects = await world.objects();
  return objects.filter(
    (object) => world.made.has(keyOfObject(object)) && object.metadata.deletionTimestamp === undefined,
  );
}

async function create(world: World, kind: UserKind, namespace: string, random: Random): Promise<void> {
  const { users } = world.simulation.options;
  const object = newObject(kind, users?.[kind.kind], namespace, random);
  await put(world, kind, object);
}

/** Creates an object and, if necessary, its namespace on behalf of the users. */
export async function put(world: World, kind: UserKind, object: ClusterObject): Promise<boolean> {
  const namespace = object.metadata.namespace ?? defaultNamespace;
  if (namespace !== defaultNamespace)
    await world.ask("POST", "/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
  // Added before the program can react to it.
  const line = world.tell("user", `creates ${keyOfObject(object)} ${valueText(object)}`);
  const { status, body } = await world.ask("POST", world.collectionPath(kind, namespace), object);
  line.text += refusalText(status, body);
  return status < 300;
}

/** Gives an object of a built-in kind, whose properties are not known, different values from `users`. */
async function replace(world: World, kind: UserKind, object: ClusterObject, random: Random): Promise<void> {
  const path = world.cluster.pathOf(object);
  if (path === undefined) return;
  const { name, namespace = defaultNamespace, labels: _labels, annotations: _annotations, ...rest } = object.metadata;
  const { metadata, ...content } = newObject(kind, world.simulation.options.users?.[kind.kind], namespace, random);
  const changed = { ...object, ...content, metadata: { ...rest, ...metadata, name } };
  const line = world.tell("user", `replaces ${keyOfObject(object)} with ${valueText(changed)}`);
  const { status, body } = await world.ask("PUT", path, changed);
  line.text += refusalText(status, body);
}

async function change(world: World, object: ClusterObject, random: Random): Promise<void> {
  const kind = kindOf(world, object);
  if (kind && !schemaOf(kind)) return replace(world, kind, object, random);
  const properties = world.simulation.properties.get(object.kind) ?? [];
  const property = random.one(properties);
  if (!property) return;
  const changed = withChange(object, property, random);
  const path = world.cluster.pathOf(object);
  if (!isRecord(changed) || path === undefined) return;
  const name = pathText(property);
  const value = property.path.reduce<unknown>((of, at) => (isRecord(of) ? of[at] : undefined), changed);
  const to = value === undefined ? "" : ` to ${valueText(value)}`;
  const line = world.tell("user", `changes ${name} of ${keyOfObject(object)}${to}`);
  const { status, body } = await world.ask("PUT", path, changed);
  if (status < 300) world.simulation.covered.add(`${object.kind} ${name}`);
  line.text += refusalText(status, body);
}

/** Deletes an object on behalf of the users or a neighbour. */
export async function remove(world: World, object: ClusterObject, who: "user" | "neighbour" = "user"): Promise<void> {
  const path = world.cluster.pathOf(object);
  if (path === undefined) return;
  const isUser = who === "user";
  world.tell(isUser ? "user" : "fault", `${isUser ? "" : "a neighbour "}deletes ${keyOfObject(object)}`);
  await world.ask("DELETE", path, { propagationPolicy: "Background" }, isUser ? {} : { by: world.neighbour });
}

async function patch(world: World, object: ClusterObject, body: object, what: string): Promise<boolean> {
  const path = world.cluster.pathOf(object);
  if (path === undefined) return false;
  const line = world.tell("fault", `a neighbour ${what} ${keyOfObject(object)}`);
  const { status } = await world.ask("PATCH", path, body, { contentType: merge, by: world.neighbour });
  if (status >= 300) world.story.remove(line);
  return status < 300;
}

/** Changes one value that the program set in an object. @returns false if the server rejects every change */
export async function damage(world: World, object: ClusterObject, random: Random): Promise<boolean> {
  for (const { path, value, patch: body } of world.damagesOf(object, random).slice(0, maxAttempts))
    if (await patch(world, object, body, `sets ${path} to ${JSON.stringify(value)} in`)) return true;
  return false;
}

const kindOf = (world: World, object: ClusterObject): UserKind | undefined =>
  world.simulation.options.kinds.find(({ kind }) => kind === object.kind);
