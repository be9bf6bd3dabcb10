import {
  createMergePatch,
  createStrategicMergePatch,
  type DeepReadonly,
  type KubeObject,
  type PatchSchema,
  withIntegersOf,
} from "@kubewright/apimachinery";
import type { MergePatch } from "../contract/patch-body.ts";

/** What a patch of {@link mergeFrom} holds beside the changes. @see controller-runtime pkg/client MergeFromOptions */
export interface MergeFromOptions {
  /**
   * Put the version of `before` into the patch, so that the server refuses it with a conflict if the object has changed since. Default
   * false.
   */
  readonly optimisticLock?: boolean | undefined;
}

/**
 * The merge patch that turns `before`, an object as it was read, into `after`: `client.patch(Site, site, mergeFrom(site, changed))`.
 * Lists are replaced as a whole.
 *
 * @throws {Error} if a lock is asked for and `before` has no version
 * @see controller-runtime pkg/client MergeFrom, MergeFromWithOptimisticLock
 */
export function mergeFrom<T extends KubeObject>(
  before: T | DeepReadonly<T>,
  after: NoInfer<T> | DeepReadonly<NoInfer<T>>,
  options: MergeFromOptions = {},
): MergePatch<T> {
  return lockedTo(before, createMergePatch(before, after), options) as MergePatch<T>;
}

/**
 * As {@link mergeFrom}, for patches of `type: "strategic"`: lists are merged as `schema` says, and have only the items that differ and
 * the order of all. Kinds without such a schema, custom ones among them, take no strategic patch.
 *
 * @see controller-runtime pkg/client StrategicMergeFrom
 */
export function strategicMergeFrom<T extends KubeObject>(
  schema: PatchSchema,
  before: T | DeepReadonly<T>,
  after: NoInfer<T> | DeepReadonly<NoInfer<T>>,
  options: MergeFromOptions = {},
): MergePatch<T> {
  return lockedTo(before, createStrategicMergePatch(before, after, schema), options) as MergePatch<T>;
}

/** The patch with the version of the object it was made from, if that is wanted. */
function lockedTo(
  { metadata: { resourceVersion } }: DeepReadonly<Pick<KubeObject, "metadata">>,
  patch: Readonly<Record<string, unknown>>,
  { optimisticLock = false }: MergeFromOptions,
): Record<string, unknown> {
  if (!optimisticLock) return patch;
  if (!resourceVersion) throw new Error("optimisticLock needs an object with a resourceVersion to start from");
  const metadata = typeof patch.metadata === "object" ? patch.metadata : {};
  return withIntegersOf(patch, {
    ...patch,
    metadata: withIntegersOf(metadata ?? {}, { ...metadata, resourceVersion }),
  });
}
