import {
  createMergePatch,
  createStrategicMergePatch,
  type DeepReadonly,
  type KubeObject,
  type PatchSchema,
  withIntegersOf,
} from "@kubewright/apimachinery";
import type { MergePatch } from "../contract/objects.ts";

/** Options for {@link mergeFrom}. @see controller-runtime pkg/client MergeFromOptions */
export interface MergeFromOptions {
  /**
   * True to add the resource version of `before` to the patch, so that the server rejects the patch with a conflict if the object has
   * changed since. Default false.
   */
  readonly optimisticLock?: boolean | undefined;
}

/**
 * Returns the merge patch that turns `before`, an unmodified object from the server, into `after`: `client.patch(Site,
 * site, mergeFrom(site, changed))`. The patch replaces lists as a whole.
 *
 * @throws {Error} if `optimisticLock` is set and `before` has no resource version
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
 * Like {@link mergeFrom}, but returns a strategic merge patch, for use with `type: "strategic"`. Lists are merged as
 * defined by `schema`; the patch contains only the items that differ, and the order of all items. Kinds without such a
 * schema, such as custom kinds, do not support strategic patches.
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

/** Returns the patch. If requested, adds the resource version of the original object. */
function lockedTo(
  { metadata: { resourceVersion } }: DeepReadonly<Pick<KubeObject, "metadata">>,
  patch: Readonly<Record<string, unknown>>,
  { optimisticLock = false }: MergeFromOptions,
): Record<string, unknown> {
  if (!optimisticLock) return patch;
  if (!resourceVersion) throw new Error("optimisticLock requires a resourceVersion in `before`");
  const metadata = typeof patch.metadata === "object" ? patch.metadata : {};
  return withIntegersOf(patch, {
    ...patch,
    metadata: withIntegersOf(metadata ?? {}, { ...metadata, resourceVersion }),
  });
}
