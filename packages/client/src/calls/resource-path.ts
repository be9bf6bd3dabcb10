import { checkNamespace, checkObjectKey, isPathSegmentName, type RESTMapping } from "@kubewright/apimachinery";

/** Address of a collection, or of one object of it. */
export interface ResourceAddress {
  readonly namespace?: string | undefined;
  /**
   * Absent for a collection. The presence of the member makes it the address of a single object: a name that is `undefined` is an error.
   */
  readonly name?: string;
  /** May have several parts: `proxy/metrics`. */
  readonly subResource?: string | undefined;
}

/** Reports whether an address refers to a single object. */
export const isOneObject = (address: ResourceAddress): boolean => "name" in address;

/**
 * Validates the parts of a path that callers provide.
 *
 * @param what the attempted call: `delete ConfigMap`
 * @throws {Error} if a name could redirect the request to something else
 */
export function checkAddress(what: string, address: ResourceAddress): void {
  if (isOneObject(address)) checkObjectKey(what, address);
  else checkNamespace(what, address.namespace);
  const { subResource } = address;
  if (subResource !== undefined && !subResource.split("/").every(isSegment))
    throw new Error(
      `${what}: subresource: ${JSON.stringify(subResource)} is not a valid name; set it to one such as "scale"`,
    );
}

/** Validates the resource of a kind. @throws {Error} if group, version or plural could redirect the request to something else */
export function checkResource(what: string, { gvr }: Pick<RESTMapping, "gvr">): void {
  const { group, version, resource } = gvr;
  for (const [field, value] of Object.entries({ group: group || "core", version, plural: resource }))
    if (!isSegment(value))
      throw new Error(`${what}: ${field} of the kind: ${JSON.stringify(value)} is not a valid name; correct the kind`);
}

const isSegment = (text: string): boolean => text !== "" && isPathSegmentName(text).length === 0;

/** Returns the path of a collection, an object or a subresource. Its parts must have been validated. */
export function resourcePath({ gvr }: Pick<RESTMapping, "gvr">, address: ResourceAddress): string {
  const base = gvr.group === "" ? `/api/${gvr.version}` : `/apis/${gvr.group}/${gvr.version}`;
  const inNamespace = address.namespace ? `/namespaces/${encodeURIComponent(address.namespace)}` : "";
  const name = address.name === undefined ? "" : `/${encodeURIComponent(address.name)}`;
  const subResource = address.subResource === undefined ? "" : `/${encodedParts(address.subResource)}`;
  return `${base}${inNamespace}/${gvr.resource}${name}${subResource}`;
}

const encodedParts = (path: string): string => path.split("/").map(encodeURIComponent).join("/");
