import {
  type DeepReadonly,
  isDeletedFinalStateUnknown,
  joinKey,
  type ObjectKey,
  type ObjectMeta,
} from "@kubewright/apimachinery";
import { errorText } from "@kubewright/log";
import { notedKeyOf } from "../body/object-notes.ts";

/**
 * A value has no key, because it has no metadata. The value is in `object`.
 *
 * @see client-go tools/cache KeyError
 */
export class KeyError extends Error {
  override readonly name = "KeyError";
  readonly object: unknown;

  constructor(object: unknown, cause: unknown) {
    super(`couldn't create key for object: ${errorText(cause)}`, { cause });
    this.object = object;
  }
}

/**
 * The metadata of an API object of any type.
 *
 * @throws {KeyError} if the value has no metadata
 * @see apimachinery api/meta Accessor
 */
export function metaOf(object: unknown): DeepReadonly<ObjectMeta> {
  const meta = metaIfAny(object);
  if (!meta) throw new KeyError(object, new Error("object has no meta"));
  return meta;
}

/** {@link metaOf}, or `undefined` for a value that has no metadata. */
export function metaIfAny(object: unknown): DeepReadonly<ObjectMeta> | undefined {
  if (typeof object !== "object" || object === null || !("metadata" in object)) return undefined;
  const { metadata } = object;
  return typeof metadata === "object" && metadata !== null ? (metadata as ObjectMeta) : undefined;
}

/** What a cache has to know of an object, whatever a transform takes out of it. */
interface ReceivedMeta {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
}

/** Of transformed objects, where it is not in their metadata. */
const received = new WeakMap<object, ReceivedMeta>();

/** Notes with which metadata an object came that was transformed since. Never throws. */
export function noteReceived(transformed: unknown, { uid, resourceVersion, deletionTimestamp }: ReceivedMeta): void {
  if (typeof transformed !== "object" || transformed === null) return;
  const left = readableMetaOf(transformed);
  const isSame =
    left.resourceVersion === resourceVersion && left.uid === uid && left.deletionTimestamp === deletionTimestamp;
  if (isSame) received.delete(transformed);
  else received.set(transformed, { uid, resourceVersion, deletionTimestamp });
}

/** Nothing, if there is an accessor that throws: it is the program's, and the store says on which object it fails. */
function readableMetaOf(transformed: object): ReceivedMeta {
  try {
    return metaIfAny(transformed) ?? {};
  } catch {
    return {};
  }
}

/** With which version, uid and time of deletion an object came, also if a transform dropped them. */
export const receivedMetaOf = (object: unknown): ReceivedMeta =>
  (typeof object === "object" && object !== null ? received.get(object) : undefined) ?? metaIfAny(object) ?? {};

/** The resource version with which an object came; empty if it has none. */
export const versionOf = (object: unknown): string => receivedMetaOf(object).resourceVersion ?? "";

/**
 * The key of an object: `namespace/name`, or `name` for objects of the cluster.
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
 * {@link metaNamespaceKeyOf}, which also takes a tombstone.
 *
 * @throws {KeyError} if the value has no metadata
 * @see client-go tools/cache DeletionHandlingMetaNamespaceKeyFunc
 */
export function deletionHandlingKeyOf(object: unknown): ObjectKey {
  return isDeletedFinalStateUnknown(object) ? object.key : metaNamespaceKeyOf(object);
}
