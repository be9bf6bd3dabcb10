import type { Unstructured } from "@kubewright/apimachinery";
import { freezeTree } from "./freeze-tree.ts";
import { checkPreconditions } from "./preconditions.ts";
import type { Storage, StoredObject } from "./storage.ts";
import { StorageError } from "./storage-error.ts";

/**
 * Wraps a storage so that writes have no effect: they only check the key and the preconditions, and run the checks in
 * the callbacks. No resource version is assigned.
 *
 * @see apiserver pkg/registry/generic/registry DryRunnableStorage
 */
export function dryRunStorage(storage: Storage): Storage {
  return {
    versioner: storage.versioner,
    get: (key, options) => storage.get(key, options),
    getList: (prefix, options) => storage.getList(prefix, options),
    watch: (prefix, options) => storage.watch(prefix, options),
    count: (prefix) => storage.count(prefix),
    compact: (resourceVersion) => storage.compact(resourceVersion),
    currentResourceVersion: () => storage.currentResourceVersion(),

    async create(key, object) {
      if (await storage.get(key, { ignoreNotFound: true })) throw new StorageError("KeyExists", key);
      return freezeTree(storage.versioner.prepareObjectForStorage(object));
    },

    async delete(key, options = {}) {
      const current = await existing(storage, key);
      checkPreconditions(key, options.preconditions, current);
      await options.validate?.(current);
      return current;
    },

    async guaranteedUpdate(key, options, tryUpdate) {
      const current = await storage.get(key, { ignoreNotFound: options.ignoreNotFound ?? false });
      if (current) checkPreconditions(key, options.preconditions, current);
      const update = await tryUpdate(current);
      if ("remove" in update) return freezeTree(update.answer ?? (await existing(storage, key)));
      return freezeTree(withVersionOf(current, update.object));
    },
  };
}

function withVersionOf(current: StoredObject | undefined, object: Unstructured): Unstructured {
  if (current?.metadata.resourceVersion) object.metadata.resourceVersion = current.metadata.resourceVersion;
  else delete object.metadata.resourceVersion;
  return object;
}

async function existing(storage: Storage, key: string): Promise<StoredObject> {
  const current = await storage.get(key);
  if (!current) throw new StorageError("KeyNotFound", key);
  return current;
}
