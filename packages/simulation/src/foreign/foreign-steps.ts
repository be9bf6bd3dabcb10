import { isRecord, type KubeObject } from "@kubewright/apimachinery";
import { resourceText } from "../cluster/api-call.ts";
import type { StepName } from "../schedule/schedule.ts";
import type { Random } from "../time/random.ts";
import { type Property, pathText, withChange } from "../users/properties.ts";
import { resourceOf as resourceOfKind } from "../users/user-kind.ts";
import { newObject, type UserValues } from "../users/user-objects.ts";
import { damagesOf } from "../world/damage.ts";
import { idOf } from "../world/normalise.ts";
import {
  bare,
  foreignFinalizer,
  otherNamespace,
  randomFault,
  randomLabels,
  refusalText,
  valueText,
} from "../world/step-values.ts";
import type { ForeignWorld } from "./foreign-world.ts";

/** Settings for users' actions, shared by all schedules. */
export interface ForeignUsers {
  /** Values of new objects, keyed by kind. Default: samples of the schemas. */
  readonly values: Readonly<Record<string, UserValues>>;
  /** Properties that users change, keyed by kind. */
  readonly properties: ReadonlyMap<string, readonly Property[]>;
  /** Properties that were changed in any schedule so far, as `Kind spec.path`. */
  readonly covered: Set<string>;
}

/** Carries out a step. Does nothing if the step is not possible, for example because no object exists. */
type ForeignStep = (world: ForeignWorld, users: ForeignUsers, random: Random) => Promise<void> | void;

const merge = "application/merge-patch+json";
const lagsMs = [300, 1_000, 2_500] as const;

/**
 * The action for each step. Steps that change the program's clock have no action, because a separate process uses the
 * machine's clock.
 */
export const foreignSteps: Readonly<Partial<Record<StepName, ForeignStep>>> = {
  create: async (world, users, random) => {
    const kind = random.one(world.program.kinds);
    if (!kind) return;
    const namespace = random.chance(0.15) ? otherNamespace : "default";
    await put(world, newObject(kind, users.values[kind.kind], namespace, random));
  },

  change: async (world, users, random) => {
    const object = random.one(await world.userObjects());
    if (object) await change(world, users, object, random);
  },

  delete: async (world, _users, random) => {
    const object = random.one(await world.userObjects());
    if (object) await remove(world, object);
  },

  recreate: async (world, _users, random) => {
    const object = random.one(await world.userObjects());
    if (!object) return;
    await remove(world, object);
    await put(world, bare(object));
  },

  killBeforeWrite: (world, _users, random) => killAt(world, "before", random),
  killAfterWrite: (world, _users, random) => killAt(world, "after", random),

  restart: (world) => {
    world.tell("fault", "the program is killed");
    world.restart();
  },

  lag: (world, _users, random) => {
    const { faults } = world;
    const resource = random.chance(0.75) ? resourceOf(world, random) : undefined;
    const ms = random.one(lagsMs);
    if (!faults) return;
    world.tell("fault", `the program sees changes to ${resource ?? "everything"} ${ms / 1_000} s late`);
    endLater(world, ms, faults.lag(resource, world.version));
  },

  restartWhileLagging: (world, _users, random) => {
    const resource = random.chance(0.75) ? resourceOf(world, random) : undefined;
    const ms = random.one(lagsMs);
    world.tell("fault", "the program is killed and restarts against an API server that lags behind");
    const { version } = world;
    world.restart((faults) => endLater(world, ms, faults.lag(resource, version, { isOldServer: true })));
  },

  cutWatch: (world, _users, random) => cut(world, random, false),
  relist: (world, _users, random) => cut(world, random, true),

  unseenRecreation: async (world, _users, random) => {
    const { faults } = world;
    const object = random.one(await world.userObjects());
    const kind = world.program.kinds.find((each) => each.kind === object?.kind);
    if (!object || !kind || !faults) return;
    const resource = resourceText(resourceOfKind(kind));
    const end = faults.lag(resource, world.version);
    world.tell("fault", `the program does not see changes to ${resource}`);
    await remove(world, object);
    await put(world, bare(object));
    end(true);
    world.tell("fault", `its watch on ${resource} breaks, and its version is too old`);
  },

  failRequests: (world, _users, random) => {
    world.faults?.arm(randomFault(random), random.one([1, 1, 2, 4]));
  },

  deleteOwned: async (world, _users, random) => {
    const object = random.one(await world.madeObjects());
    if (object) await remove(world, object, "neighbour");
  },

  changeOwned: async (world, _users, random) => {
    const object = random.one(await world.madeObjects());
    if (object) await damage(world, object, random);
  },

  relabelOwned: async (world, _users, random) => {
    const object = random.one(await world.madeObjects());
    if (!object) return;
    const labels = randomLabels(object, random);
    await patch(world, object, { metadata: { labels } }, `sets the labels ${JSON.stringify(labels)} of`);
  },

  foreignFinalizer: async (world, _users, random) => {
    const object = random.one(await world.madeObjects());
    if (!object) return;
    const finalizers = [...(object.metadata.finalizers ?? []), foreignFinalizer];
    await patch(world, object, { metadata: { finalizers } }, "adds a finalizer to");
  },

  deleteNamespace: async (world) => {
    const path = `/api/v1/namespaces/${otherNamespace}`;
    const { status } = await world.request("DELETE", path);
    if (status < 300) world.tell("fault", `a neighbour deletes the namespace ${otherNamespace}`);
  },
};

/** Removes the finalizers that neighbours have set. */
export async function removeForeignFinalizers(world: ForeignWorld): Promise<void> {
  for (const object of await world.objects()) {
    const { finalizers = [] } = object.metadata;
    if (!finalizers.includes(foreignFinalizer)) continue;
    const rest = finalizers.filter((each) => each !== foreignFinalizer);
    await patch(world, object, { metadata: { finalizers: rest } }, "removes its finalizer from");
  }
}

function killAt(world: ForeignWorld, when: "before" | "after", random: Random): void {
  const number = random.one([1, 1, 2, 2, 3, 4, 5, 7]);
  let left = number;
  world.faults?.killAt(
    () => --left === 0,
    when,
    () => world.restart(),
  );
}

function cut(world: ForeignWorld, random: Random, relist: boolean): void {
  const resource = resourceOf(world, random);
  if (!world.faults || resource === undefined) return;
  world.tell("fault", `the watch on ${resource} breaks${relist ? ", and its version is too old" : ""}`);
  world.faults.cut(resource, relist);
}

function resourceOf(world: ForeignWorld, random: Random): string | undefined {
  const one = random.one(world.touched);
  return one && resourceText(one);
}

function endLater(world: ForeignWorld, ms: number, end: () => void): void {
  const ended = (): void => end();
  world.sleep(ms).then(ended, ended); // the world ends, too
}

/** Creates an object and, if necessary, its namespace on behalf of the users. */
export async function put(world: ForeignWorld, object: KubeObject): Promise<void> {
  const { namespace } = object.metadata;
  if (namespace !== undefined) await world.ensureNamespace(namespace);
  // Added before the program can react to it.
  const line = world.tell("user", `creates ${idOf(object)} ${valueText(object)}`);
  const { status, body } = await world.request("POST", `${world.collectionOf(object)}?fieldManager=user`, object);
  line.text += refusalText(status, body);
}

async function change(world: ForeignWorld, users: ForeignUsers, object: KubeObject, random: Random): Promise<void> {
  const property = random.one(users.properties.get(object.kind) ?? []);
  if (!property) return;
  const changed = withChange(object, property, random);
  if (!isRecord(changed)) return;
  const name = pathText(property);
  const value = property.path.reduce<unknown>((of, at) => (isRecord(of) ? of[at] : undefined), changed);
  const to = value === undefined ? "" : ` to ${valueText(value)}`;
  const line = world.tell("user", `changes ${name} of ${idOf(object)}${to}`);
  const { status, body } = await world.request("PUT", `${world.pathOf(object)}?fieldManager=user`, changed);
  if (status < 300) users.covered.add(`${object.kind} ${name}`);
  line.text += refusalText(status, body);
}

/** Deletes an object on behalf of the users or a neighbour. */
export async function remove(
  world: ForeignWorld,
  object: KubeObject,
  who: "user" | "neighbour" = "user",
): Promise<void> {
  const isUser = who === "user";
  world.tell(isUser ? "user" : "fault", `${isUser ? "" : "a neighbour "}deletes ${idOf(object)}`);
  await world.request("DELETE", world.pathOf(object), { propagationPolicy: "Background" });
}

/** Changes one value that the program set in an object. @returns false if the server rejects every change */
export async function damage(world: ForeignWorld, object: KubeObject, random: Random): Promise<boolean> {
  for (const { path, value, patch: body } of damagesOf(object, random).slice(0, 4))
    if (await patch(world, object, body, `sets ${path} to ${valueText(value)} in`)) return true;
  return false;
}

async function patch(world: ForeignWorld, object: KubeObject, body: object, what: string): Promise<boolean> {
  const line = world.tell("fault", `a neighbour ${what} ${idOf(object)}`);
  const { status } = await world.request("PATCH", `${world.pathOf(object)}?fieldManager=neighbour`, body, merge);
  if (status >= 300) world.story.remove(line);
  return status < 300;
}
