import { stringifyJson, type Unstructured } from "@kubewright/apimachinery";
import { StorageError } from "./storage-error.ts";

/** Maximum size of an object in bytes. It equals etcd's default limit for a request, so the same limit applies in a cluster. */
export const maxObjectBytes = 1.5 * 1024 * 1024;
/** Maximum number of bytes for one UTF-16 code unit: the six of an escape such as `\u0000`. */
const maxBytesPerUnit = 6;
/** Maximum number of bytes for the rest of a member: quotes, colon and comma, and a number or a word such as `false`. */
const maxBytesOfRest = 32;

/**
 * Rejects an object whose JSON exceeds etcd's limit. Most objects are small enough to be checked without being encoded.
 *
 * @throws {StorageError} `TooLarge` if the object exceeds the limit
 *
 * @see etcd server/etcdserver ErrRequestTooLarge
 */
export function refuseTooLarge(key: string, object: Unstructured): void {
  if (roomLeft(object, maxObjectBytes) >= 0) return;
  if (Buffer.byteLength(stringifyJson(object)) > maxObjectBytes)
    throw new StorageError("TooLarge", key, "etcdserver: request is too large");
}

/** Subtracts the maximum size of a value's JSON from a number of bytes, and returns the rest. Stops as soon as the rest is negative. */
function roomLeft(value: unknown, bytes: number): number {
  let left = bytes - maxBytesOfRest;
  if (typeof value === "string") return left - value.length * maxBytesPerUnit;
  if (typeof value !== "object" || value === null) return left;
  if (Array.isArray(value)) {
    for (const item of value) {
      left = roomLeft(item, left);
      if (left < 0) return left;
    }
    return left;
  }
  for (const name in value) {
    left = roomLeft((value as Readonly<Record<string, unknown>>)[name], left - name.length * maxBytesPerUnit);
    if (left < 0) return left;
  }
  return left;
}
