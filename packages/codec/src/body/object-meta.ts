import { isRecord, type ObjectMeta } from "@kubewright/apimachinery";

/** Metadata of a decoded object. It may lack its name until the store has filled it in. */
export function asObjectMeta(value: unknown): ObjectMeta {
  const empty: unknown = {};
  if (isObjectMeta(value)) return value;
  return isObjectMeta(empty) ? empty : { name: "" };
}

const isObjectMeta = (value: unknown): value is ObjectMeta => isRecord(value);
