export {
  type ApplyManifestsOptions,
  type ApplyResult,
  applyManifests,
} from "./apply-manifests.ts";
export type { ApplySetName } from "./apply-set.ts";
export { type Manifest, type Manifests, nameOf, parseManifests, type UnreadableManifest } from "./parse-manifests.ts";
export { type ManifestSources, type ReadManifestsOptions, readManifests } from "./read-manifests.ts";
