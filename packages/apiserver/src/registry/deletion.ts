import { conflict, mutableCopy, type Unstructured } from "@kubewright/apimachinery";
import { rfc3339 } from "@kubewright/clock";
import type { ReadonlyObject, ServedResource } from "./resource.ts";
import type { StrategyContext } from "./strategy.ts";

/** Decoded and validated options of a DELETE request. @see apimachinery meta/v1 DeleteOptions */
export interface DeletionOptions {
  /** Grace period in seconds. Default: the grace period of the kind. */
  readonly gracePeriodSeconds?: number | undefined;
  /** Policy for dependents. Default: the policy of the kind. */
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan" | undefined;
  /** The older form of the propagation policy: true means `Orphan`, and false means `Background`. */
  readonly orphanDependents?: boolean | undefined;
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly dryRun: boolean;
}

/**
 * The effect of a deletion on an object: `remove` removes it, `pending` leaves it unchanged because it is already being
 * deleted, and `update` writes a new state. `thenRemove` is true if the object is removed afterwards because its grace
 * period has ended.
 */
export type Deletion =
  | { readonly type: "remove" }
  | { readonly type: "pending" }
  | { readonly type: "update"; readonly object: Unstructured; readonly thenRemove: boolean };

const orphan = "orphan";
const foreground = "foregroundDeletion";

/**
 * Determines the effect of a deletion from the propagation policy (which may add finalizers), the grace period, and the
 * finalizers that prevent the object's removal.
 *
 * @see apiserver pkg/registry/rest BeforeDelete, pkg/registry/generic/registry Store.Delete
 */
export function decideDeletion(
  resource: ServedResource,
  current: ReadonlyObject,
  options: DeletionOptions,
  context: StrategyContext,
): Deletion {
  const { strategy } = resource;
  const object = mutableCopy(current);
  const meta = object.metadata;
  const grace = settleGrace(resource, object, options, context);
  if (grace === "pending") return { type: "pending" };
  const finalizers = finalizersFor(resource, current, options);
  const finalizersChange = finalizers.join() !== (meta.finalizers ?? []).join();
  if (finalizersChange) meta.finalizers = finalizers;
  if (finalizers.length === 0) delete meta.finalizers;
  const first = !current.metadata.deletionTimestamp;
  if (first) strategy.prepareForDelete?.(object, context);
  const held = (meta.finalizers?.length ?? 0) > 0 || (strategy.hasPendingFinalization?.(object) ?? false);
  if (!held && grace === "none") return { type: "remove" };
  if (grace === "none") {
    const waits = meta.deletionGracePeriodSeconds === 0 || strategy.hasPendingFinalization?.(object);
    if (!first && !finalizersChange && waits) return { type: "pending" };
    markAsDeleting(object, context, strategy.prepareForDelete === undefined);
  }
  return { type: "update", object, thenRemove: !held && grace !== "none" && grace.seconds === 0 };
}

/**
 * Reports whether an object that is being deleted can be removed after an update, because the update has removed the
 * last finalizer or other obstacle.
 */
export function isFreedByUpdate(resource: ServedResource, next: ReadonlyObject, old: ReadonlyObject): boolean {
  if (!old.metadata.deletionTimestamp || (next.metadata.finalizers?.length ?? 0) > 0) return false;
  if (resource.strategy.hasPendingFinalization?.(next as Unstructured)) return false;
  return (next.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

/**
 * Checks a deletion's preconditions: the object must be the one that the client expects.
 *
 * @throws {StatusError} 409 if its UID or resourceVersion differs
 */
export function checkDeletePreconditions(
  resource: ServedResource,
  current: ReadonlyObject,
  wanted: DeletionOptions["preconditions"],
): void {
  const { name, uid = "", resourceVersion = "" } = current.metadata;
  const kind = { group: resource.group, resource: resource.kind };
  if (wanted?.uid !== undefined && wanted.uid !== uid)
    throw conflict(
      kind,
      name,
      `the UID in the precondition (${wanted.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  if (wanted?.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion)
    throw conflict(
      kind,
      name,
      `the ResourceVersion in the precondition (${wanted.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
}

type Grace = "none" | "pending" | { readonly seconds: number };

/** Sets the grace period of a deletion, if the kind has grace periods. */
function settleGrace(
  { strategy }: ServedResource,
  object: Unstructured,
  options: DeletionOptions,
  context: StrategyContext,
): Grace {
  if (!strategy.gracePeriodSeconds) return "none";
  const meta = object.metadata;
  const asked = options.gracePeriodSeconds === undefined ? undefined : clampGrace(options.gracePeriodSeconds);
  if (meta.deletionTimestamp) {
    const running = meta.deletionGracePeriodSeconds;
    if (running === undefined) return "none";
    if (asked === undefined || asked >= running) return running === 0 && !meta.finalizers?.length ? "none" : "pending";
    meta.deletionTimestamp = rfc3339(Date.parse(meta.deletionTimestamp) - millisOf(running) + millisOf(asked));
    meta.deletionGracePeriodSeconds = asked;
    return { seconds: asked };
  }
  const seconds = strategy.gracePeriodSeconds(object, asked);
  meta.deletionTimestamp = rfc3339(context.nowMs + millisOf(seconds));
  meta.deletionGracePeriodSeconds = seconds;
  countGeneration(object);
  return { seconds };
}

/** Converts a grace period to milliseconds. If its nanoseconds exceed an int64, the result wraps around, as in Go. */
const millisOf = (seconds: number | bigint): number =>
  Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n) / 1_000_000n);

const clampGrace = (seconds: number): number => (seconds < 0 ? 1 : seconds);

/**
 * Marks an object as being deleted. For kinds with their own termination (namespaces, CRDs), does not set a grace period and does not
 * increment the generation.
 */
function markAsDeleting(object: Unstructured, context: StrategyContext, showsGrace: boolean): void {
  const meta = object.metadata;
  if (!meta.deletionTimestamp && showsGrace) countGeneration(object);
  if (!meta.deletionTimestamp || Date.parse(meta.deletionTimestamp) > context.nowMs)
    meta.deletionTimestamp = rfc3339(context.nowMs);
  if (showsGrace) meta.deletionGracePeriodSeconds = 0;
}

function countGeneration(object: Unstructured): void {
  if (object.metadata.generation) object.metadata.generation++;
}

/** Returns the finalizers of an object, changed as the propagation policy requires. */
function finalizersFor(resource: ServedResource, current: ReadonlyObject, options: DeletionOptions): string[] {
  const present = current.metadata.finalizers ?? [];
  const byDefault = resource.strategy.defaultGarbageCollectionPolicy ?? "background";
  const others = present.filter((name) => name !== orphan && name !== foreground);
  if (byDefault === "unsupported") return others;
  const policy = options.propagationPolicy ?? orphanPolicy(options) ?? keptPolicy(present) ?? byDefault;
  if (policy === "Orphan" || policy === "orphan") return [...others, orphan];
  if (policy === "Foreground") return [...others, foreground];
  return others;
}

const orphanPolicy = ({ orphanDependents }: DeletionOptions): "Orphan" | "Background" | undefined =>
  orphanDependents === undefined ? undefined : orphanDependents ? "Orphan" : "Background";

function keptPolicy(finalizers: readonly string[]): "Orphan" | "Foreground" | undefined {
  if (finalizers.includes(orphan)) return "Orphan";
  return finalizers.includes(foreground) ? "Foreground" : undefined;
}
