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

/** A verb supported by a resource, as in discovery. */
export type ResourceVerb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** Description of a subresource for discovery. The handlers in `endpoints` are selected by its name. */
export interface SubresourceInfo {
  readonly name: string;
  readonly verbs: readonly ResourceVerb[];
  /**
   * Kind of the subresource's requests and responses: the kind of the resource, or a different one such as Scale, Eviction or TokenRequest.
   */
  readonly kind: GroupVersionKind;
}

/** Description of a resource for discovery: its names, scope and verbs. */
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

/** A built-in or custom resource in one version, as served by the server. */
export interface ServedResource extends ResourceInfo {
  readonly origin: "builtin" | "custom";
  readonly strategy: KindStrategy;
  /** Fields, topology and merge strategies of this version's type. */
  readonly schema: TypeSchema;
  /** Field manager of the resource. Absent if managed fields are not tracked. */
  readonly fieldManager?: FieldManager | undefined;
  /** Prefix of the keys in the storage, `/<group or core>/<resource>/`. All versions of a resource share it. */
  readonly storagePrefix: string;
  /** Version in which objects of a custom resource are stored. */
  readonly storedVersion?: string | undefined;
  /** Converter between the stored form and this version. Absent if both forms are the same. */
  readonly converter?: VersionConverter | undefined;
  /** Warning that is sent with every response. */
  readonly deprecationWarning?: string | undefined;
  /** Error message for create requests. Set if the CRD of a custom resource is terminating. */
  readonly createRefusal?: string | undefined;
  /**
   * Oldest `resourceVersion` at which a watch may start. Watches from older versions are rejected, because the form of objects has changed
   * since then.
   */
  readonly watchableFrom?: string | undefined;
}

/** Converts objects between the stored form and the form of one version. */
export interface VersionConverter {
  toServed(stored: readonly StoredObject[]): Promise<readonly StoredObject[]> | readonly StoredObject[];
  /**
   * Converts one object without using a cache. Needed for conversions by another server, which may fail, and required if `toServed`
   * returns a promise. Default: the same as `toServed`.
   */
  toServedAnew?(stored: StoredObject): Promise<StoredObject>;
  toStored(served: Unstructured): Promise<Unstructured> | Unstructured;
}

export const gvkOfResource = (resource: ResourceInfo): GroupVersionKind => ({
  group: resource.group,
  version: resource.version,
  kind: resource.kind,
});

/** Reports whether `/status` and the main endpoint of a resource write different parts of its objects. */
export const hasStatus = (resource: ServedResource): boolean =>
  resource.strategy.hasStatus ?? resource.subresources.some(({ name }) => name === "status");

/** Returns the metadata fields that writes to `/status` do not change. */
export const metadataIgnoredByStatus = ({
  strategy,
  origin,
}: ServedResource): "all" | readonly ("labels" | "ownerReferences")[] =>
  strategy.statusIgnoresMetadata ?? (origin === "custom" ? "all" : []);

/** An immutable object of any kind, such as a stored object or the old object in a strategy. */
export type ReadonlyObject = DeepReadonly<Unstructured>;

/**
 * Returns the kind to use in errors. For events in either group, this is the kind in the core group, as in upstream.
 */
export const storedKind = ({ group, kind }: ServedResource): { readonly group: string; readonly kind: string } => ({
  group: group === "events.k8s.io" ? "" : group,
  kind,
});
