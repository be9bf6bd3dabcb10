import { isRecord, type Unstructured } from "@kubewright/apimachinery";
import type { Storage } from "@kubewright/storage";
import { isStorageError } from "@kubewright/storage";
import type { Quota } from "../../quota/quota-scope.ts";
import type { QuotaAccess } from "./resource-quota.ts";

const folder = "/core/resourcequotas/";

/**
 * Returns functions that read and update quotas directly in the store, so that a reservation is a single
 * compare-and-swap.
 */
export function quotaAccess(storage: Storage): QuotaAccess {
  return {
    async quotas(namespace) {
      const predicate = { isEmpty: true, matches: () => true };
      return (await storage.getList(`${folder}${namespace}/`, { predicate })).items as readonly Quota[];
    },
    async reserve(namespace, name, decide) {
      await storage
        .guaranteedUpdate(`${folder}${namespace}/${name}`, {}, (current) => {
          const object = structuredClone(current) as Unstructured;
          const used = decide(current as Quota);
          if (used) object.status = { ...(isRecord(object.status) ? object.status : {}), used };
          return { object };
        })
        .catch((error: unknown) => {
          if (!isStorageError(error, "KeyNotFound")) throw error; // the quota was deleted in the meantime and no longer limits anything
        });
    },
  };
}
