import type { GroupVersionKind, GroupVersionResource, Scope } from "@kubewright/apimachinery";

/** One resource in one version, as the server describes it. @see apimachinery metav1.APIResource */
export interface APIResource {
  readonly gvk: GroupVersionKind;
  readonly gvr: GroupVersionResource;
  readonly scope: Scope;
  /** May be empty with older servers. */
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Supported verbs: `get`, `list`, `watch`, `create` ... */
  readonly verbs: readonly string[];
  /** Subresources: `status`, `scale` ... */
  readonly subResources: readonly string[];
}

/** One API group. @see apimachinery metav1.APIGroup */
export interface APIGroup {
  /** Name of the group; empty for the core group. */
  readonly name: string;
  /** Versions, the preferred one first. */
  readonly versions: readonly APIVersion[];
}

/** One version of an API group. @see k8s.io/api apidiscovery/v2 APIVersionDiscovery */
export interface APIVersion {
  readonly version: string;
  /** Empty while `freshness` is `Stale`. */
  readonly resources: readonly APIResource[];
  /** `Stale` while the server behind the version does not respond: its resources are unknown, not absent. */
  readonly freshness: "Current" | "Stale";
}

/** Returns the versions whose resources are currently unknown. */
export const staleVersions = (groups: readonly APIGroup[]): { readonly group: string; readonly version: string }[] =>
  groups.flatMap(({ name: group, versions }) =>
    versions.filter(({ freshness }) => freshness === "Stale").map(({ version }) => ({ group, version })),
  );
