import { isRecord, type KubeObject } from "@kubewright/apimachinery";
import { resourceText } from "../cluster/api-call.ts";
import { failures } from "../cluster/request-faults.ts";
import type { StepName } from "../schedule/schedule.ts";
import type { Random } from "../time/random.ts";
import { type Property, pathText, withChange } from "../users/properties.ts";
import { resourceOf as resourceOfKind } from "../users/user-kind.ts";
import { newObject, type UserValues } from "../users/user-objects.ts";
import { damagesOf } from "../world/damage.ts";
import { idOf } from "../world/normalise.ts";
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
/** Namespace that a neighbour may delete, in which users create some objects. */
const otherNamespace = "simulated";
const foreignFinalizer = "simulation.kubewright.dev/foreign";
const lagsMs = [300, 1_000, 2_500] as const;

/**
 * The action for each step. There are no actions for steps that change the program's clock, because a separate process uses the machine's
 * clock.
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
    world.tell("fault", `the program sees changes of ${resource ?? "everything"} ${ms / 1_000} s late`);
    endLater(world, ms, faults.lag(resource, world.version));
  },

  restartWhileLagging: (world, _users, random) => {
    const resource = random.chance(0.75) ? resourceOf(world, random) : undefined;
    const ms = random.one(lagsMs);
    world.tell("fault", "the program is killed, and starts again against an API server that lags behind");
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
    world.tell("fault", `the program does not see changes of ${resource}`);
    await remove(world, object);
    await put(world, bare(object));
    end(true);
    world.tell("fault", `its watch of ${resource} breaks, and its version is too old`);
  },

  failRequests: (world, _users, random) => {
    const failure = random.one(failures);
    const canTakeEffect = failure === "timeout" || failure === "connectionLost" || failure === "internalError";
    const afterEffect = canTakeEffect && random.chance(0.5);
    const writesOnly = failure === "conflict" || failure === "refusedByAdmission" || random.chance(0.6);
    world.faults?.arm({ failure, afterEffect, writesOnly }, random.one([1, 1, 2, 4]));
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
    const name = random.one(Object.keys(object.metadata.labels ?? {}));
    const labels =
      name === undefined || random.chance(0.3)
        ? { neighbour: "was-here" }
        : { [name]: random.chance(0.5) ? null : "other" };
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

/** Removes finalizers that were set by neighbours. */
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
  world.tell("fault", `the watch of ${resource} breaks${relist ? ", and its version is too old" : ""}`);
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
  const line = world.tell("user", `creates ${idOf(object)} ${valueText(contentOf(object))}`);
  const { status, body } = await world.request("POST", `${world.collectionOf(object)}?fieldManager=user`, object);
  line.text += refusal(status, body);
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
  line.text += refusal(status, body);
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

/** Returns the part of an object that users wrote, without the status and without metadata that the server added. */
export function bare(object: KubeObject): KubeObject {
  const { name, namespace, labels, annotations } = object.metadata;
  const content = contentOf(object);
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
  };
  return { apiVersion: object.apiVersion, kind: object.kind, metadata, ...content };
}

function contentOf(object: KubeObject): Record<string, unknown> {
  const own = ["apiVersion", "kind", "metadata", "status"];
  return Object.fromEntries(Object.entries(object).filter(([name]) => !own.includes(name)));
}

const refusal = (status: number, body: Readonly<Record<string, unknown>>): string =>
  status < 300 ? "" : ` → ${status} ${String(body.message ?? "")}`;

function valueText(value: unknown): string {
  const text = JSON.stringify(isRecord(value) && "spec" in value ? value.spec : value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
