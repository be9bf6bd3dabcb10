export { conflictsOf, explainConflicts, type FieldConflict } from "./apply-conflict.ts";
export { type ApplyManifestsOptions, type ApplyResult, applyManifests } from "./apply-manifests.ts";
export type { ApplySetName } from "./apply-set.ts";
export type { Manifest, Manifests, UnreadableManifest } from "./manifest.ts";
export { nameOf } from "./manifest.ts";
export { parseManifests } from "./parse-manifests.ts";
export { type ManifestSources, type ReadManifestsOptions, readManifests } from "./read-manifests.ts";
