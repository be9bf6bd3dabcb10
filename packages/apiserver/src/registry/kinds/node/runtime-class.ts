import { type FieldError, fieldError, fieldPath, isDns1123Label, type KubeObject } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "../../table-columns.ts";
import { immutable, labelErrors, messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import type { Toleration } from "../pod/pod-types.ts";
import { tolerationErrors } from "../pod/pod-validation.ts";

interface RuntimeClass extends KubeObject {
  handler?: string;
  scheduling?: { nodeSelector?: Record<string, string>; tolerations?: Toleration[] };
}

const handlerErrors = ({ handler = "" }: RuntimeClass): FieldError[] =>
  handler === "" ? [fieldError.required("handler")] : messages(handler, isDns1123Label(handler), fieldPath("handler"));

function schedulingErrors({ scheduling = {} }: RuntimeClass): FieldError[] {
  const at = fieldPath("scheduling");
  return [
    ...labelErrors(scheduling.nodeSelector, at.child("nodeSelector")),
    ...(scheduling.tolerations ?? []).flatMap((toleration, i) =>
      tolerationErrors(toleration, at.child("tolerations").index(i)),
    ),
  ];
}

/** @see pkg/registry/node/runtimeclass strategy.go */
export const runtimeClassStrategy = defineStrategy<RuntimeClass>({
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: (object) => [...handlerErrors(object), ...schedulingErrors(object)],
  validateUpdate: (next, old) => [
    ...handlerErrors(next),
    ...schedulingErrors(next),
    ...immutable(next.handler, old.handler, fieldPath("handler")),
  ],
  columns: [nameColumn, column("Handler", ({ handler }) => handler ?? ""), ageColumn],
});
