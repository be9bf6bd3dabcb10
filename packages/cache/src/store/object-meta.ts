import {
  compareResourceVersions,
  type DeepReadonly,
  DeletedFinalStateUnknown,
  isErrorWithCode,
  joinKey,
  KubewrightError,
  type ObjectKey,
  type ObjectMeta,
} from "@kubewright/apimachinery";
import { errorText } from "@kubewright/log";
import { notedKeyOf } from "../body/object-notes.ts";

/**
 * Thrown if a value has no key because it has no metadata. `object` is the value.
 *
 * @see client-go tools/cache KeyError
 */
export class KeyError extends KubewrightError {
  override readonly name = "KeyError";
  readonly code = "ERR_KEY";
  readonly object: unknown;

  constructor(object: unknown, cause: unknown) {
    super(`couldn't create key for object: ${errorText(cause)}`, { cause });
    this.object = object;
  }
}

/** Reports whether an error is a {@link KeyError}. */
export const isKeyError = isErrorWithCode<KeyError>("ERR_KEY");

/**
 * Returns the metadata of an API object of any type.
 *
 * @throws {KeyError} if the value has no metadata
 * @see apimachinery api/meta Accessor
 */
export function metaOf(object: unknown): DeepReadonly<ObjectMeta> {
  const meta = metaIfAny(object);
  if (!meta) throw new KeyError(object, new Error("object has no meta"));
  return meta;
}

/** Like {@link metaOf}, but returns `undefined` for a value that has no metadata. */
export function metaIfAny(object: unknown): DeepReadonly<ObjectMeta> | undefined {
  if (typeof object !== "object" || object === null || !("metadata" in object)) return undefined;
  const { metadata } = object;
  return typeof metadata === "object" && metadata !== null ? (metadata as ObjectMeta) : undefined;
}

/** Metadata that a cache needs even if a transform removes it from the object. */
interface ReceivedMeta {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
}

/** Received metadata of transformed objects whose metadata the transform has changed. */
const received = new WeakMap<object, ReceivedMeta>();

/** Records an object's original metadata before the object is transformed. Never throws. */
export function noteReceived(transformed: unknown, { uid, resourceVersion, deletionTimestamp }: ReceivedMeta): void {
  if (typeof transformed !== "object" || transformed === null) return;
  const left = readableMetaOf(transformed);
  const isSame =
    left.resourceVersion === resourceVersion && left.uid === uid && left.deletionTimestamp === deletionTimestamp;
  if (isSame) received.delete(transformed);
  else received.set(transformed, { uid, resourceVersion, deletionTimestamp });
}

/**
 * Returns a transformed object's metadata, or an empty object if an accessor throws. Accessors are user code, and the store reports the
 * object whose accessor fails.
 */
function readableMetaOf(transformed: object): ReceivedMeta {
  try {
    return metaIfAny(transformed) ?? {};
  } catch {
    return {};
  }
}

/** Returns the version, UID and deletion timestamp with which an object was received, even if a transform removed them. */
export const receivedMetaOf = (object: unknown): ReceivedMeta =>
  (typeof object === "object" && object !== null ? received.get(object) : undefined) ?? metaIfAny(object) ?? {};

/** Returns the resource version with which an object was received, or an empty string if it had none. */
export const versionOf = (object: unknown): string => receivedMetaOf(object).resourceVersion ?? "";

/** Reports whether a version is older than another. Returns false for versions that cannot be compared. */
export const isOlder = (version: string, than: string): boolean => (compareResourceVersions(version, than) ?? 0) < 0;

/**
 * Returns an object's key: `namespace/name`, or `name` for cluster-scoped objects.
 *
 * @throws {KeyError} if the value has no metadata
 * @see client-go tools/cache MetaNamespaceKeyFunc
 */
export function metaNamespaceKeyOf(object: unknown): ObjectKey {
  const noted = typeof object === "object" && object !== null ? notedKeyOf(object) : undefined;
  if (noted !== undefined) return noted;
  const { namespace, name } = metaOf(object);
  return joinKey(namespace, name);
}

/**
 * Like {@link metaNamespaceKeyOf}, but also accepts a tombstone.
 *
 * @throws {KeyError} if the value has no metadata
 * @see client-go tools/cache DeletionHandlingMetaNamespaceKeyFunc
 */
export function deletionHandlingKeyOf(object: unknown): ObjectKey {
  return object instanceof DeletedFinalStateUnknown ? object.key : metaNamespaceKeyOf(object);
}
