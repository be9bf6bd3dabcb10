import { mutableCopy, type Unstructured } from "@kubewright/apimachinery";
import { pruneCustom } from "../codec/prune.ts";
import type { VersionConverter } from "../registry/resource.ts";
import type { ObjectSchema } from "../schema/type-schema.ts";
import type { StoredObject } from "../storage/storage.ts";

export interface VersionOfType {
  readonly apiVersion: string;
  readonly schema: ObjectSchema;
  applyDefaults(object: Unstructured): void;
}

/**
 * Conversion by the strategy `None`: only `apiVersion` changes. What the version's schema does not specify is pruned on the way out,
 * and its defaults are filled in, so that objects stored under an older schema look like new ones.
 */
export function noneConverter(served: VersionOfType, storedApiVersion: string): VersionConverter {
  // stored objects are frozen, so what one looks like in this version never changes
  const known = new WeakMap<object, StoredObject>();
  const convert = (stored: StoredObject): StoredObject => {
    const { value } = pruneCustom(stored, served.schema);
    const object: Unstructured = { ...mutableCopy(stored), ...value, apiVersion: served.apiVersion };
    for (const name of Object.keys(object)) if (!Object.hasOwn(value, name)) delete object[name];
    served.applyDefaults(object);
    return object;
  };
  return {
    toServed: (stored) =>
      stored.map((object) => {
        const converted = known.get(object) ?? convert(object);
        known.set(object, converted);
        return converted;
      }),
    toStored: (object) => ({ ...object, apiVersion: storedApiVersion }),
  };
}
