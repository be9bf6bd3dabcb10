import { isRecord, type ObjectMeta } from "@kubewright/apimachinery";

/** Returns a decoded object's metadata. It may have no name until the store generates one. */
export function asObjectMeta(value: unknown): ObjectMeta {
  const empty: unknown = {};
  if (isObjectMeta(value)) return value;
  return isObjectMeta(empty) ? empty : { name: "" };
}

const isObjectMeta = (value: unknown): value is ObjectMeta => isRecord(value);
