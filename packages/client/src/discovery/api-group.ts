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
  /** `get`, `list`, `watch`, `create` ... */
  readonly verbs: readonly string[];
  /** `status`, `scale` ... */
  readonly subResources: readonly string[];
}

/** One API group. @see apimachinery metav1.APIGroup */
export interface APIGroup {
  /** Empty for the core group. */
  readonly name: string;
  /** The preferred version first. */
  readonly versions: readonly { readonly version: string; readonly resources: readonly APIResource[] }[];
}
