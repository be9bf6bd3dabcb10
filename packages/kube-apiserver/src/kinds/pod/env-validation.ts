import { type FieldError, type FieldPath, fieldError } from "@kubewright/apimachinery";
import { messages } from "../checks.ts";
import { isConfigMapKey, isRelaxedEnvVarName } from "../names.ts";
import type { Container, EnvVar, KeySelector } from "./pod-types.ts";
import { objectFieldErrors, resourceFieldErrors } from "./source-paths.ts";

/** Returns the errors in a container's environment variables. @see pkg/apis/core/validation ValidateEnv */
export function envErrors(env: readonly EnvVar[], at: FieldPath): FieldError[] {
  return env.flatMap(({ name, value, valueFrom }, i) => {
    const path = at.index(i);
    return [
      ...(name
        ? messages(name, isRelaxedEnvVarName(name), path.child("name"))
        : [fieldError.required(path.child("name"))]),
      ...(valueFrom ? valueFromErrors(valueFrom, value ?? "", path.child("valueFrom")) : []),
    ];
  });
}

function valueFromErrors(from: NonNullable<EnvVar["valueFrom"]>, value: string, at: FieldPath): FieldError[] {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = from;
  const sources = Object.keys(from).length;
  const counted =
    sources === 0
      ? "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
      : value !== ""
        ? "may not be specified when `value` is not empty"
        : sources > 1
          ? "may not have more than one field specified at a time"
          : undefined;
  return [
    ...(fieldRef ? objectFieldErrors(fieldRef, "environment", at.child("fieldRef")) : []),
    ...(resourceFieldRef ? resourceFieldErrors(resourceFieldRef, "environment", at.child("resourceFieldRef")) : []),
    ...(configMapKeyRef ? keyErrors(configMapKeyRef, at.child("configMapKeyRef")) : []),
    ...(secretKeyRef ? keyErrors(secretKeyRef, at.child("secretKeyRef")) : []),
    ...(counted === undefined ? [] : [fieldError.invalid(at, "", counted)]),
  ];
}

const keyErrors = ({ name = "", key = "" }: KeySelector, at: FieldPath): FieldError[] => [
  ...(name === "" ? [fieldError.required(at.child("name"))] : []),
  ...(key === "" ? [fieldError.required(at.child("key"))] : messages(key, isConfigMapKey(key), at.child("key"))),
];

/** Returns the errors in a container's `envFrom`. @see pkg/apis/core/validation ValidateEnvFrom */
export function envFromErrors(sources: NonNullable<Container["envFrom"]>, at: FieldPath): FieldError[] {
  return sources.flatMap(({ prefix, configMapRef, secretRef }, i) => {
    const path = at.index(i);
    const unnamed = (["configMapRef", "secretRef"] as const).filter(
      (member) => (member === "configMapRef" ? configMapRef : secretRef)?.name === "",
    );
    return [
      ...(prefix ? messages(prefix, isRelaxedEnvVarName(prefix), path.child("prefix")) : []),
      ...unnamed.map((member) => fieldError.required(path.child(member, "name"))),
      ...(configMapRef || secretRef
        ? []
        : [fieldError.invalid(at, "", "must specify one of: `configMapRef` or `secretRef`")]),
      ...(configMapRef && secretRef
        ? [fieldError.invalid(at, "", "may not have more than one field specified at a time")]
        : []),
    ];
  });
}
