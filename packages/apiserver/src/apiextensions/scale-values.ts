import { type FieldError, fieldError, isRecord } from "@kubewright/apimachinery";
import type { ScaleSubresource } from "./definition.ts";

const maxReplicas = 2 ** 31 - 1;
const goTypes: Readonly<Record<string, string>> = { string: "string", boolean: "bool", number: "float64" };

/** What is wrong with the number of replicas that an instance asks for. @see apiextensions-apiserver pkg/registry/customresource ValidateScaleSpec */
export const scaleSpecErrors = (object: unknown, { specReplicasPath }: ScaleSubresource): FieldError[] =>
  replicasErrors(object, specReplicasPath);

/** The same for the number there is, and the selector of what is counted. */
export function scaleStatusErrors(object: unknown, scale: ScaleSubresource): FieldError[] {
  const errors = replicasErrors(object, scale.statusReplicasPath);
  const path = scale.labelSelectorPath;
  const selector = path ? valueAt(object, path) : undefined;
  if (path && selector !== undefined && typeof selector !== "string")
    errors.push(fieldError.invalid(path, "", accessProblem(path, selector, "string")));
  return errors;
}

function replicasErrors(object: unknown, path: string): FieldError[] {
  const replicas = valueAt(object, path);
  if (replicas === undefined) return [];
  const isInteger = typeof replicas === "number" && Number.isInteger(replicas);
  if (!isInteger) return [fieldError.invalid(path, 0, accessProblem(path, replicas, "int64"))];
  if (replicas < 0) return [fieldError.invalid(path, replicas, "should be a non-negative integer")];
  return replicas > maxReplicas
    ? [fieldError.invalid(path, replicas, `should be less than or equal to ${maxReplicas}`)]
    : [];
}

const valueAt = (object: unknown, path: string): unknown =>
  path
    .replace(/^\./, "")
    .split(".")
    .reduce((inner: unknown, name) => (isRecord(inner) ? inner[name] : undefined), object);

function accessProblem(path: string, value: unknown, wanted: string): string {
  const type = Array.isArray(value) ? "[]interface {}" : (goTypes[typeof value] ?? "map[string]interface {}");
  return `${path} accessor error: ${String(value)} is of the type ${type}, expected ${wanted}`;
}
