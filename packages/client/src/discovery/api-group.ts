import type { GroupVersionKind, GroupVersionResource, Scope } from "@kubewright/apimachinery";

/** One resource as the server describes it. */
export interface APIResource {
  readonly gvk: GroupVersionKind;
  readonly gvr: GroupVersionResource;
  readonly scope: Scope;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** Names such as `status` and `scale`. */
  readonly subResources: readonly string[];
}

export interface APIGroup {
  /** Empty for the core group. */
  readonly name: string;
  /** The preferred version first. */
  readonly versions: readonly { readonly version: string; readonly resources: readonly APIResource[] }[];
}
