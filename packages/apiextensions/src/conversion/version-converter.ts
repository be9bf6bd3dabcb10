import { mutableCopy, type Unstructured } from "@kubewright/apimachinery";
import type { VersionConverter } from "@kubewright/apiserver/registry";
import { pruneCustom } from "@kubewright/codec";
import type { ObjectSchema } from "@kubewright/codec/schema";
import type { StoredObject } from "@kubewright/storage";
import type { ConversionWebhook } from "./conversion-webhook.ts";

/** A version in a CRD. */
export interface VersionOfType {
  readonly apiVersion: string;
  readonly schema: ObjectSchema;
  applyDefaults(object: Unstructured): void;
}

interface VersionConverterParts {
  readonly served: VersionOfType;
  readonly stored: VersionOfType;
  /** All versions, keyed by `apiVersion`, because an object may have been stored in any of them. */
  readonly versions: ReadonlyMap<string, VersionOfType>;
  /** Webhook that converts objects. Absent for the strategy `None`, which changes only `apiVersion`. */
  readonly webhook?: ConversionWebhook;
}

/**
 * Returns a converter between the versions of a CRD. The converter first fills in the stored version's defaults, so
 * that objects stored under an older schema look like new ones. Then it converts the objects and drops fields that the
 * target version's schema does not contain.
 *
 * @see apiextensions-apiserver pkg/apiserver customresource_handler, schemaCoercingConverter
 */
export function versionConverter(parts: VersionConverterParts): VersionConverter {
  return parts.webhook ? webhookConverter(parts, parts.webhook) : noneConverter(parts);
}

function noneConverter({ served, stored, versions }: VersionConverterParts): VersionConverter {
  // stored objects are frozen, so their converted form never changes
  const known = new WeakMap<object, StoredObject>();
  return {
    toServed: (objects) =>
      objects.map((object) => {
        const converted =
          known.get(object) ?? pruned({ ...defaulted(object, versions), apiVersion: served.apiVersion }, served);
        known.set(object, converted);
        return converted;
      }),
    toStored: (object) => {
      const next = { ...object, apiVersion: stored.apiVersion };
      return stored === served ? next : pruned(next, stored);
    },
  };
}

function webhookConverter(
  { served, stored, versions }: VersionConverterParts,
  webhook: ConversionWebhook,
): VersionConverter {
  const known = new WeakMap<object, StoredObject>();
  const running = new WeakMap<object, Promise<StoredObject>>();
  const convert = async (objects: readonly StoredObject[]): Promise<StoredObject[]> => {
    const results = await webhook.convert(
      objects.map((object) => defaulted(object, versions)),
      served.apiVersion,
    );
    return results.map((result) => pruned(result, served));
  };
  return {
    /** Converts objects for lists and watches. Each state of an object is converted only once, as in upstream's watch cache. */
    async toServed(objects) {
      const missing = objects.filter((object) => !known.has(object) && !running.has(object));
      if (missing.length > 0) {
        const all = convert(missing);
        for (const [i, object] of missing.entries()) {
          const one = all.then((results) => {
            const result = results[i] ?? object;
            known.set(object, result);
            return result;
          });
          running.set(object, one);
          one.then(
            () => running.delete(object),
            () => running.delete(object),
          );
        }
      }
      return Promise.all(objects.map((object) => known.get(object) ?? running.get(object) ?? object));
    },
    async toServedAnew(object) {
      const [result] = await convert([object]);
      return result ?? object;
    },
    async toStored(object) {
      const [result] = await webhook.convert([object], stored.apiVersion);
      return stored === served || !result ? object : pruned(result, stored);
    },
  };
}

/** Returns a copy of an object with the defaults of its stored version filled in. */
function defaulted(stored: StoredObject, versions: ReadonlyMap<string, VersionOfType>): Unstructured {
  const object = mutableCopy(stored) as Unstructured;
  versions.get(object.apiVersion)?.applyDefaults(object);
  return object;
}

function pruned(object: Unstructured, { schema }: VersionOfType): Unstructured {
  const { value } = pruneCustom(object, schema);
  const result: Unstructured = { ...object, ...value };
  for (const name of Object.keys(result)) if (!Object.hasOwn(value, name)) delete result[name];
  return result;
}
