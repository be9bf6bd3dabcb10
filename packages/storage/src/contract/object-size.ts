import { stringifyJson, type Unstructured } from "@kubewright/apimachinery";
import { StorageError } from "./storage-error.ts";

/** etcd's default limit of a request, and thus the largest object of a cluster. */
export const maxObjectBytes = 1.5 * 1024 * 1024;
/** Maximum bytes of one string unit: `\u0000`. */
const mostBytesPerUnit = 6;
/** Quotes, colon and comma; a number; a word. */
const mostBytesOfRest = 32;

/**
 * Rejects an object whose JSON exceeds etcd's limit. Most objects are so small that they need not be encoded for this.
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

/** Returns the rest of a number of bytes after a value's maximum JSON size; stops below zero. */
function roomLeft(value: unknown, bytes: number): number {
  let left = bytes - mostBytesOfRest;
  if (typeof value === "string") return left - value.length * mostBytesPerUnit;
  if (typeof value !== "object" || value === null) return left;
  if (Array.isArray(value)) {
    for (const item of value) {
      left = roomLeft(item, left);
      if (left < 0) return left;
    }
    return left;
  }
  for (const name in value) {
    left = roomLeft((value as Readonly<Record<string, unknown>>)[name], left - name.length * mostBytesPerUnit);
    if (left < 0) return left;
  }
  return left;
}
