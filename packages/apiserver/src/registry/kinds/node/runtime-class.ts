import { fieldError, fieldPath, isDns1123Label, type KubeObject } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "../../table-columns.ts";
import { immutable, messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface RuntimeClass extends KubeObject {
  handler?: string;
}

/** @see pkg/registry/node/runtimeclass strategy.go */
export const runtimeClassStrategy = defineStrategy<RuntimeClass>({
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: ({ handler = "" }) =>
    handler === ""
      ? [fieldError.required("handler")]
      : messages(handler, isDns1123Label(handler), fieldPath("handler")),
  validateUpdate: (next, old) => immutable(next.handler, old.handler, fieldPath("handler")),
  columns: [nameColumn, column("Handler", ({ handler }) => handler ?? ""), ageColumn],
});
