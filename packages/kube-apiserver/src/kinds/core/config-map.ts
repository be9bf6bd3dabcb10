import { type FieldError, fieldError, fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { addKeyErrors, decodedBytes, immutabilityErrors, maxDataBytes } from "./key-value-data.ts";

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  immutable?: boolean;
}

const dataPath = fieldPath("data");
const binaryPath = fieldPath("binaryData");

function validate({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const key of Object.keys(data)) {
    bytes += Buffer.byteLength(data[key] ?? "");
    addKeyErrors(errors, key, dataPath);
    if (Object.hasOwn(binaryData, key))
      errors.push(...messages(key, ["duplicate of key present in binaryData"], dataPath.key(key)));
  }
  for (const key of Object.keys(binaryData)) {
    bytes += decodedBytes(binaryData[key] ?? "");
    addKeyErrors(errors, key, binaryPath);
  }
  if (bytes > maxDataBytes) errors.push(fieldError.tooLong("[]", maxDataBytes));
  return errors;
}

/** Strategy for ConfigMaps. @see pkg/registry/core/configmap strategy.go */
export const configMapStrategy = defineStrategy<ConfigMap>({
  validate,
  validateUpdate: (object, old) => [...immutabilityErrors(object, old, ["data", "binaryData"]), ...validate(object)],
  columns: [
    nameColumn,
    column("Data", ({ data = {}, binaryData = {} }) => Object.keys(data).length + Object.keys(binaryData).length),
    ageColumn,
  ],
});
