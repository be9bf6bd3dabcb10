import type { RESTMapping } from "@kubewright/apimachinery";

export interface ResourceAddress {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subResource?: string | undefined;
}

/** The path of a collection, an object or a subresource. */
export function resourcePath({ gvr }: Pick<RESTMapping, "gvr">, address: ResourceAddress): string {
  const base = gvr.group === "" ? `/api/${gvr.version}` : `/apis/${gvr.group}/${gvr.version}`;
  const inNamespace = address.namespace ? `/namespaces/${encodeURIComponent(address.namespace)}` : "";
  const name = address.name === undefined ? "" : `/${encodeURIComponent(address.name)}`;
  const subResource = address.subResource === undefined ? "" : `/${address.subResource}`;
  return `${base}${inNamespace}/${gvr.resource}${name}${subResource}`;
}
