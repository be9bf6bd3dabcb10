import type { KubeObject } from "@kubewright/apimachinery";

/** An object as JSON. */
export interface ClusterObject extends KubeObject {
  readonly metadata: KubeObject["metadata"] & { readonly name: string };
  readonly [field: string]: unknown;
}

/** A resource that was written to, so that its objects belong to the simulated world. */
export interface TouchedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly isNamespaced: boolean;
}

/** A response to a request sent by the simulation itself. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Returns the path of a collection in all namespaces or in one namespace. */
export function collectionPath(
  { group, version, resource, isNamespaced }: TouchedResource,
  namespace?: string,
): string {
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${base}${isNamespaced && namespace !== undefined ? `/namespaces/${namespace}` : ""}/${resource}`;
}

/** Formats an object's kind and key, for example as `Deployment shop/north`. */
export const keyOfObject = ({ kind, metadata: { namespace, name } }: ClusterObject): string =>
  `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
