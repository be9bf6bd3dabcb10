import { stringifyJson, type Unstructured } from "@kubewright/apimachinery";
import { StorageError } from "./storage-error.ts";

/** etcd's default limit for a request, and thus the maximum size of an object in a cluster. */
export const maxObjectBytes = 1.5 * 1024 * 1024;
/** Maximum number of bytes for one UTF-16 code unit: `\u0000`. */
const maxBytesPerUnit = 6;
/** Quotes, colon and comma; a number; a word. */
const maxBytesOfRest = 32;

/**
 * Rejects an object whose JSON exceeds etcd's limit. Most objects are small enough that they need not be encoded to check this.
 *
 * @throws {StorageError} `TooLarge`
 *
 * @see etcd server/etcdserver ErrRequestTooLarge
 */
export function refuseTooLarge(key: string, object: Unstructured): void {
  if (roomLeft(object, maxObjectBytes) >= 0) return;
  if (Buffer.byteLength(stringifyJson(object)) > maxObjectBytes)
    throw new StorageError("TooLarge", key, "etcdserver: request is too large");
}

/** Subtracts a value's maximum JSON size from a number of bytes and returns the rest. Stops as soon as the rest is negative. */
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
