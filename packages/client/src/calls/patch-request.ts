import type { PatchOptions, PatchType } from "../contract/options.ts";
import type { Target } from "../contract/reader-writer.ts";

export const patchContentType: Readonly<Record<PatchType, string>> = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

/**
 * The patch, with the version of the object it was made from if the caller wants to be refused when that is no longer the newest.
 *
 * @throws {Error} if the lock is asked for and the target has no version
 */
export function lockedPatch(patch: object, target: Target, options: PatchOptions): object {
  if (!options.optimisticLock) return patch;
  const resourceVersion =
    typeof target === "object" && "metadata" in target ? target.metadata.resourceVersion : undefined;
  if (!resourceVersion) throw new Error("optimisticLock needs an object with a resourceVersion as target");
  if (Array.isArray(patch))
    return [{ op: "test", path: "/metadata/resourceVersion", value: resourceVersion }, ...patch];
  const metadata = "metadata" in patch && typeof patch.metadata === "object" ? patch.metadata : {};
  return { ...patch, metadata: { ...metadata, resourceVersion } };
}
