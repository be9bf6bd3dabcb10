import type { Preconditions, StoredObject } from "./storage.ts";
import { StorageError } from "./storage-error.ts";

/**
 * Checks that a stored object is the one to which a write refers.
 *
 * @throws {StorageError} `InvalidObject` if its UID or resourceVersion differs
 *
 * @see apiserver pkg/storage Preconditions.Check
 */
export function checkPreconditions(key: string, wanted: Preconditions | undefined, current: StoredObject): void {
  const { uid = "", resourceVersion = "" } = current.metadata;
  if (wanted?.uid !== undefined && wanted.uid !== uid)
    throw failed(key, `Precondition failed: UID in precondition: ${wanted.uid}, UID in object meta: ${uid}`);
  if (wanted?.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion)
    throw failed(
      key,
      `Precondition failed: ResourceVersion in precondition: ${wanted.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`,
    );
}

const failed = (key: string, message: string): StorageError => new StorageError("InvalidObject", key, message);
