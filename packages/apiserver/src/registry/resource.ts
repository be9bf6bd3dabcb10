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

export type ResourceVerb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** A subresource as discovery shows it. What it does is decided by its name in `endpoints`. */
export interface SubresourceInfo {
  readonly name: string;
  readonly verbs: readonly ResourceVerb[];
  /** The kind it takes and answers, where that is not the resource's own (Scale, Eviction, TokenRequest). */
  readonly kind: GroupVersionKind;
}

/** Names, scope and verbs of a resource: what discovery needs. */
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
  /** Absent where managed fields are not kept. */
  readonly fieldManager?: FieldManager;
  /** The folder of the store, `/<group or core>/<resource>/`; versions of one resource share it. */
  readonly storagePrefix: string;
  /** The version in which a custom resource is stored. */
  readonly storedVersion?: string;
  /** Absent where stored and served form are the same. */
  readonly converter?: VersionConverter;
  /** Sent as a warning with every answer. */
  readonly deprecationWarning?: string;
  /** Creates are refused with this sentence (a custom resource whose definition is terminating). */
  readonly createRefusal?: string;
  /** Watches from older versions are refused: since then, objects look otherwise than what was watched before. */
  readonly watchableFrom?: string;
}

/** Between the stored form and the form of one version. */
export interface VersionConverter {
  toServed(stored: readonly StoredObject[]): Promise<readonly StoredObject[]> | readonly StoredObject[];
  /** One object, not from memory: where conversion is somebody else's work, which may fail now. Default: as `toServed`. */
  toServedAnew?(stored: StoredObject): Promise<StoredObject>;
  toStored(served: Unstructured): Promise<Unstructured> | Unstructured;
}

export const gvkOfResource = (resource: ResourceInfo): GroupVersionKind => ({
  group: resource.group,
  version: resource.version,
  kind: resource.kind,
});

/** Whether `/status` and the main endpoint write different parts of the object. */
export const hasStatus = (resource: ServedResource): boolean =>
  resource.strategy.hasStatus ?? resource.subresources.some(({ name }) => name === "status");

/** Metadata that `/status` leaves as it is. */
export const metadataIgnoredByStatus = ({
  strategy,
  origin,
}: ServedResource): "all" | readonly ("labels" | "ownerReferences")[] =>
  strategy.statusIgnoresMetadata ?? (origin === "custom" ? "all" : []);

/** An object of any kind that is not to be changed: what the store holds, and what strategies compare with. */
export type ReadonlyObject = DeepReadonly<Unstructured>;

/** The kind that errors name: events of either group are those of the core group inside. */
export const storedKind = ({ group, kind }: ServedResource): { readonly group: string; readonly kind: string } => ({
  group: group === "events.k8s.io" ? "" : group,
  kind,
});
