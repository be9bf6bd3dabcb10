import {
  type FieldError,
  fieldError,
  fieldPath,
  jsonEqual,
  type KubeObject,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { parameterErrors } from "./storage-class.ts";

interface VolumeAttributesClass extends KubeObject {
  driverName?: string;
  parameters?: Record<string, string>;
}

function validate({ driverName, parameters = {} }: VolumeAttributesClass): FieldError[] {
  const at = fieldPath("parameters");
  return [
    ...(driverName
      ? messages(driverName, validateQualifiedName(driverName.toLowerCase()), fieldPath("driverName"))
      : [fieldError.required("driverName")]),
    ...parameterErrors(parameters, at),
    ...(Object.keys(parameters).length > 0
      ? []
      : [fieldError.required(at, "must contain at least one key/value pair")]),
  ];
}

/** Strategy for VolumeAttributesClasses. @see pkg/registry/storage/volumeattributesclass strategy.go */
export const volumeAttributesClassStrategy = defineStrategy<VolumeAttributesClass>({
  returnDeletedObject: true,
  validate,
  validateUpdate: (next, old) => [
    ...((next.driverName ?? "") === (old.driverName ?? "")
      ? []
      : [fieldError.forbidden("driverName", "updates to driverName are forbidden.")]),
    ...(jsonEqual(next.parameters ?? {}, old.parameters ?? {})
      ? []
      : [fieldError.forbidden("parameters", "updates to parameters are forbidden.")]),
    ...validate(next),
  ],
  columns: [nameColumn, column("DriverName", ({ driverName }) => driverName ?? ""), ageColumn],
});
