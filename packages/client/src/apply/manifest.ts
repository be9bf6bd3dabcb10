import type { Unstructured } from "@kubewright/apimachinery";

/** An object as somebody wrote it down. */
export interface Manifest {
  readonly object: Unstructured;
  /** Where it stands: `config/site.yaml, document 2`. */
  readonly source: string;
}

/** A text, or a document of one, that is no object. */
export interface UnreadableManifest {
  readonly source: string;
  readonly error: Error;
}

/** What was read: objects, and what could not be read. */
export interface Manifests {
  readonly manifests: readonly Manifest[];
  readonly unreadable: readonly UnreadableManifest[];
}

/** `deployment.apps/web`, with the namespace where there is one: `deployment.apps/web in shop`. */
export function nameOf({ apiVersion, kind, metadata }: Pick<Unstructured, "apiVersion" | "kind" | "metadata">): string {
  const [group] = apiVersion.includes("/") ? apiVersion.split("/") : [];
  const type = group === undefined ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
  return `${type}/${metadata.name}${metadata.namespace ? ` in ${metadata.namespace}` : ""}`;
}
