import {
  type FieldError,
  fieldError,
  fieldPath,
  isDns1123Label,
  jsonEqual,
  type KubeObject,
} from "@kubewright/apimachinery";
import { ageColumn, labelErrors, nameColumn } from "@kubewright/apiserver/registry";
import { immutable, messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { resourceErrors } from "../pod/container-validation.ts";
import type { Toleration } from "../pod/pod-types.ts";
import { tolerationErrors } from "../pod/pod-validation.ts";

interface RuntimeClass extends KubeObject {
  handler?: string;
  overhead?: { podFixed?: Record<string, string> };
  scheduling?: { nodeSelector?: Record<string, string>; tolerations?: Toleration[] };
}

const handlerErrors = ({ handler = "" }: RuntimeClass): FieldError[] =>
  handler === "" ? [fieldError.required("handler")] : messages(handler, isDns1123Label(handler), fieldPath("handler"));

function schedulingErrors({ scheduling = {} }: RuntimeClass): FieldError[] {
  const at = fieldPath("scheduling");
  return [
    ...labelErrors(scheduling.nodeSelector, at.child("nodeSelector")),
    ...(scheduling.tolerations ?? []).flatMap((toleration, i, all) => {
      const path = at.child("tolerations").index(i);
      const isTaken = all.slice(0, i).some((before) => jsonEqual(before, toleration));
      return [...tolerationErrors(toleration, path), ...(isTaken ? [fieldError.duplicate(path, toleration)] : [])];
    }),
  ];
}

/** Returns the errors in a RuntimeClass. Like upstream, validates the overhead's amounts as limits. */
const validate = (object: RuntimeClass): FieldError[] => [
  ...handlerErrors(object),
  ...resourceErrors({ limits: object.overhead?.podFixed ?? {} }, fieldPath("overhead")),
  ...schedulingErrors(object),
];

/** Strategy for RuntimeClasses. @see pkg/registry/node/runtimeclass strategy.go */
export const runtimeClassStrategy = defineStrategy<RuntimeClass>({
  declaredFields: ["handler"],
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate,
  validateUpdate: (next, old) => [
    ...validate(next),
    ...immutable(next.handler ?? "", old.handler, fieldPath("handler")),
  ],
  columns: [nameColumn, column("Handler", ({ handler }) => handler ?? ""), ageColumn],
});
