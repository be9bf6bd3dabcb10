import type { Unstructured } from "@kubewright/apimachinery";

/** An object from a manifest. */
export interface Manifest {
  readonly object: Unstructured;
  /** Source of the object: `config/site.yaml, document 2`. */
  readonly source: string;
}

/** A text, or a document of one, that cannot be read as an object. */
export interface UnreadableManifest {
  readonly source: string;
  readonly error: Error;
}

/** The result of reading manifests: objects, and documents that could not be read. */
export interface Manifests {
  readonly manifests: readonly Manifest[];
  readonly unreadable: readonly UnreadableManifest[];
}

/** Returns the name of an object as `deployment.apps/web`, followed by the namespace if there is one: `deployment.apps/web in shop`. */
export function nameOf({ apiVersion, kind, metadata }: Pick<Unstructured, "apiVersion" | "kind" | "metadata">): string {
  const [group] = apiVersion.includes("/") ? apiVersion.split("/") : [];
  const type = group === undefined ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
  return `${type}/${metadata.name}${metadata.namespace ? ` in ${metadata.namespace}` : ""}`;
}
