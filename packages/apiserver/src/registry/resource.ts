import type {
  DeepReadonly,
  GroupVersionKind,
  GroupVersionResource,
  Scope,
  Unstructured,
} from "@kubewright/apimachinery";
import type { TypeSchema } from "@kubewright/codec/schema";
import type { StoredObject } from "@kubewright/storage";
import type { FieldManager } from "../fieldmanager/field-manager.ts";
import type { KindStrategy } from "./strategy.ts";

/** Verb that a resource supports, as in discovery. */
export type ResourceVerb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** A subresource as discovery shows it. `endpoints` selects its handler by name. */
export interface SubresourceInfo {
  readonly name: string;
  readonly verbs: readonly ResourceVerb[];
  /** The kind of its requests and responses, if not the resource's own (Scale, Eviction, TokenRequest). */
  readonly kind: GroupVersionKind;
}

/** Names, scope and verbs of a resource, for discovery. */
export interface ResourceInfo extends GroupVersionResource {
  readonly kind: string;
  readonly listKind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: Scope;
  readonly verbs: readonly ResourceVerb[];
  readonly subresources: readonly SubresourceInfo[];
}

/** One resource in one version, as the server serves it: built-in or custom. */
export interface ServedResource extends ResourceInfo {
  readonly origin: "builtin" | "custom";
  readonly strategy: KindStrategy;
  /** Fields, topology and merge strategies of this version's type. */
  readonly schema: TypeSchema;
  /** Absent if managed fields are not tracked. */
  readonly fieldManager?: FieldManager | undefined;
  /** Folder in the store, `/<group or core>/<resource>/`; versions of one resource share it. */
  readonly storagePrefix: string;
  /** Storage version of a custom resource. */
  readonly storedVersion?: string | undefined;
  /** Absent if the stored and served forms are the same. */
  readonly converter?: VersionConverter | undefined;
  /** Warning sent with every response. */
  readonly deprecationWarning?: string | undefined;
  /** Message with which creates are rejected, because the custom resource's CRD is terminating. */
  readonly createRefusal?: string | undefined;
  /** Watches from older versions are rejected, because objects have a different form since then. */
  readonly watchableFrom?: string | undefined;
}

/** Converts between the stored form and the form of one version. */
export interface VersionConverter {
  toServed(stored: readonly StoredObject[]): Promise<readonly StoredObject[]> | readonly StoredObject[];
  /**
   * Converts one object without a cache, for conversions that depend on another server and may therefore fail. Default: same as
   * `toServed`.
   */
  toServedAnew?(stored: StoredObject): Promise<StoredObject>;
  toStored(served: Unstructured): Promise<Unstructured> | Unstructured;
}

export const gvkOfResource = (resource: ResourceInfo): GroupVersionKind => ({
  group: resource.group,
  version: resource.version,
  kind: resource.kind,
});

/** True if `/status` and the main endpoint write different parts of the object. */
export const hasStatus = (resource: ServedResource): boolean =>
  resource.strategy.hasStatus ?? resource.subresources.some(({ name }) => name === "status");

/** Returns metadata that `/status` does not change. */
export const metadataIgnoredByStatus = ({
  strategy,
  origin,
}: ServedResource): "all" | readonly ("labels" | "ownerReferences")[] =>
  strategy.statusIgnoresMetadata ?? (origin === "custom" ? "all" : []);

/** An immutable object of any kind: from the store, and for comparisons in strategies. */
export type ReadonlyObject = DeepReadonly<Unstructured>;

/** Returns the kind for errors: events of either group are internally those of the core group. */
export const storedKind = ({ group, kind }: ServedResource): { readonly group: string; readonly kind: string } => ({
  group: group === "events.k8s.io" ? "" : group,
  kind,
});
