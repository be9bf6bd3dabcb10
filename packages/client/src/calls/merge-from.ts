import {
  createMergePatch,
  createStrategicMergePatch,
  type DeepReadonly,
  type KubeObject,
  type PatchSchema,
  withIntegersOf,
} from "@kubewright/apimachinery";
import type { MergePatch } from "../contract/objects.ts";

/** Options of {@link mergeFrom}. @see controller-runtime pkg/client MergeFromOptions */
export interface MergeFromOptions {
  /**
   * Adds the resource version of `before` to the patch, so that the server refuses the patch with a conflict if the object has changed
   * since. Default false.
   */
  readonly optimisticLock?: boolean | undefined;
}

/**
 * Returns the merge patch that turns `before`, an unmodified object as read from the server, into
 * `after`: `client.patch(Site, site, mergeFrom(site, changed))`. Lists are replaced as a whole.
 *
 * @throws {Error} if `optimisticLock` is set and `before` has no resource version
 * @see controller-runtime pkg/client MergeFrom, MergeFromWithOptimisticLock
 *
 */
export function mergeFrom<T extends KubeObject>(
  before: T | DeepReadonly<T>,
  after: NoInfer<T> | DeepReadonly<NoInfer<T>>,
  options: MergeFromOptions = {},
): MergePatch<T> {
  return lockedTo(before, createMergePatch(before, after), options) as MergePatch<T>;
}

/**
 * Like {@link mergeFrom}, for patches of `type: "strategic"`: lists are merged as `schema` defines, and the patch contains only the items
 * that differ, plus the order of all items. Kinds without such a schema, including custom ones, do not support strategic patches.
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

/** Returns the patch, with the resource version of the original object if requested. */
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
