import { checkNamespace, checkObjectKey, isPathSegmentName, type RESTMapping } from "@kubewright/apimachinery";

/** A collection, or one object of it. */
export interface ResourceAddress {
  readonly namespace?: string | undefined;
  /** Absent for a collection. The member itself makes an address one of a single object: a name that is `undefined` is an error. */
  readonly name?: string;
  /** May have several parts: `proxy/metrics`. */
  readonly subResource?: string | undefined;
}

/** Whether an address is one of a single object. */
export const isOneObject = (address: ResourceAddress): boolean => "name" in address;

/**
 * Checks what callers put into a path.
 *
 * @param what what is attempted: `delete ConfigMap`
 * @throws {Error} if a name could make the request one about something else
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

/** Checks where objects of a kind are served. @throws {Error} if group, version or plural could make the request one about something else */
export function checkResource(what: string, { gvr }: Pick<RESTMapping, "gvr">): void {
  const { group, version, resource } = gvr;
  for (const [field, value] of Object.entries({ group: group || "core", version, plural: resource }))
    if (!isSegment(value))
      throw new Error(`${what}: ${field} of the kind: ${JSON.stringify(value)} is not a valid name; correct the kind`);
}

const isSegment = (text: string): boolean => text !== "" && isPathSegmentName(text).length === 0;

/** The path of a collection, an object or a subresource. Its parts must have been checked. */
export function resourcePath({ gvr }: Pick<RESTMapping, "gvr">, address: ResourceAddress): string {
  const base = gvr.group === "" ? `/api/${gvr.version}` : `/apis/${gvr.group}/${gvr.version}`;
  const inNamespace = address.namespace ? `/namespaces/${encodeURIComponent(address.namespace)}` : "";
  const name = address.name === undefined ? "" : `/${encodeURIComponent(address.name)}`;
  const subResource = address.subResource === undefined ? "" : `/${encodedParts(address.subResource)}`;
  return `${base}${inNamespace}/${gvr.resource}${name}${subResource}`;
}

const encodedParts = (path: string): string => path.split("/").map(encodeURIComponent).join("/");
