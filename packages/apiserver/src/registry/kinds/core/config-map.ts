import { type FieldError, fieldError, fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "../../table-columns.ts";
import { messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { decodedBytes, immutabilityErrors, keyErrors, maxDataBytes } from "./key-value-data.ts";

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  immutable?: boolean;
}

function validate({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const both = Object.keys(data).filter((key) => Object.hasOwn(binaryData, key));
  const bytes =
    Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value), 0) +
    Object.values(binaryData).reduce((sum, value) => sum + decodedBytes(value), 0);
  return [
    ...Object.keys(data).flatMap((key) => [
      ...keyErrors([key], fieldPath("data")),
      ...(both.includes(key)
        ? messages(key, [`duplicate of key present in binaryData`], fieldPath("data").key(key))
        : []),
    ]),
    ...keyErrors(Object.keys(binaryData), fieldPath("binaryData")),
    ...(bytes > maxDataBytes ? [fieldError.tooLong("[]", maxDataBytes)] : []),
  ];
}

/** @see pkg/registry/core/configmap strategy.go */
export const configMapStrategy = defineStrategy<ConfigMap>({
  validate,
  validateUpdate: (object, old) => [...immutabilityErrors(object, old, ["data", "binaryData"]), ...validate(object)],
  columns: [
    nameColumn,
    column("Data", ({ data = {}, binaryData = {} }) => Object.keys(data).length + Object.keys(binaryData).length),
    ageColumn,
  ],
});
