import type { DeepReadonly, Unstructured } from "@kubewright/apimachinery";
import type { StorageListResult, StoredObject, Versioner } from "./storage.ts";
import { StorageError } from "./storage-error.ts";

/** Reads and writes `metadata.resourceVersion`. @see apiserver pkg/storage APIObjectVersioner */
export const objectVersioner: Versioner = {
  updateObject(object: StoredObject, resourceVersion: number): Unstructured {
    const { metadata, ...rest } = object as DeepReadonly<Unstructured>;
    return { ...rest, metadata: { ...metadata, resourceVersion: String(resourceVersion) } } as Unstructured;
  },

  updateList(resourceVersion: number, continueToken?: string, remaining?: number): StorageListResult["metadata"] {
    return {
      resourceVersion: String(resourceVersion),
      ...(continueToken ? { continue: continueToken } : {}),
      ...(continueToken && remaining !== undefined ? { remainingItemCount: remaining } : {}),
    };
  },

  prepareObjectForStorage(object: Unstructured): Unstructured {
    delete object.metadata.resourceVersion;
    delete object.metadata.selfLink;
    return object;
  },

  objectResourceVersion(object: StoredObject): number {
    return objectVersioner.parseResourceVersion(object.metadata.resourceVersion);
  },

  parseResourceVersion(text: string | undefined): number {
    if (text === undefined || text === "" || text === "0") return 0;
    if (!/^\d+$/.test(text))
      throw new StorageError("InvalidResourceVersion", "", `strconv.ParseUint: parsing "${text}": invalid syntax`);
    if (!isUint64(text))
      throw new StorageError("InvalidResourceVersion", "", `strconv.ParseUint: parsing "${text}": value out of range`);
    return Number(text);
  },
};

/** Reports whether a decimal number of any length fits into 64 bits. */
function isUint64(text: string): boolean {
  const digits = text.replace(/^0+(?=\d)/, "");
  return digits.length < 20 || (digits.length === 20 && BigInt(digits) < 2n ** 64n);
}
