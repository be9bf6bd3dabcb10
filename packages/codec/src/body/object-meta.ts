import { isRecord, type ObjectMeta } from "@kubewright/apimachinery";

/** Returns the metadata of a decoded object. It may lack a name until the store generates one. */
export function asObjectMeta(value: unknown): ObjectMeta {
  const empty: unknown = {};
  if (isObjectMeta(value)) return value;
  return isObjectMeta(empty) ? empty : { name: "" };
}

const isObjectMeta = (value: unknown): value is ObjectMeta => isRecord(value);
