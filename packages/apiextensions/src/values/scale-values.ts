import { type FieldError, fieldError, isRecord, ownMember, stringifyJson } from "@kubewright/apimachinery";
import type { ScaleSubresource } from "../definition/definition.ts";

const maxReplicas = 2 ** 31 - 1;
const goTypes: Readonly<Record<string, string>> = { string: "string", boolean: "bool", number: "float64" };

/**
 * Validates a custom resource's desired number of replicas.
 *
 * @see apiextensions-apiserver pkg/registry/customresource ValidateScaleSpec
 */
export const scaleSpecErrors = (object: unknown, { specReplicasPath }: ScaleSubresource): FieldError[] =>
  replicasErrors(object, specReplicasPath);

/** Validates a custom resource's current number of replicas, and its selector. */
export function scaleStatusErrors(object: unknown, scale: ScaleSubresource): FieldError[] {
  const errors = replicasErrors(object, scale.statusReplicasPath);
  const path = scale.labelSelectorPath;
  if (!path) return errors;
  const { value, problem } = lookUp(object, path);
  if (problem !== undefined) errors.push(fieldError.invalid(path, "", problem));
  else if (value !== undefined && typeof value !== "string")
    errors.push(fieldError.invalid(path, "", accessProblem(path, value, "string")));
  return errors;
}

function replicasErrors(object: unknown, path: string): FieldError[] {
  const { value: replicas, problem } = lookUp(object, path);
  if (problem !== undefined) return [fieldError.invalid(path, 0, problem)];
  if (replicas === undefined) return [];
  if (!isInt64(replicas)) return [fieldError.invalid(path, 0, accessProblem(path, replicas, "int64"))];
  if (replicas < 0) return [fieldError.invalid(path, replicas, "should be a non-negative integer")];
  return replicas > maxReplicas
    ? [fieldError.invalid(path, replicas, `should be less than or equal to ${maxReplicas}`)]
    : [];
}

const isInt64 = (value: unknown): value is number | bigint =>
  typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 2 ** 63);

/**
 * Returns the value at a path, or an error message if a parent in the path has no members.
 *
 * @see apimachinery unstructured.NestedFieldNoCopy
 */
function lookUp(object: unknown, path: string): { readonly value?: unknown; readonly problem?: string } {
  const names = path.replace(/^\./, "").split(".");
  let at = object;
  for (const [i, name] of names.entries()) {
    if (at === undefined || at === null) return {};
    if (!isRecord(at)) {
      const reached = `.${names.slice(0, i + 1).join(".")}`;
      return { problem: accessProblem(reached, at, "map[string]interface{}") };
    }
    at = ownMember(at, name);
  }
  return { value: at };
}

function accessProblem(path: string, value: unknown, wanted: string): string {
  const [shown, type] =
    value === null
      ? ["<nil>", "<nil>"]
      : [typeof value === "string" ? value : stringifyJson(value), isInt64(value) ? "int64" : goTypeOf(value)];
  return `${path} accessor error: ${shown} is of the type ${type}, expected ${wanted}`;
}

const goTypeOf = (value: unknown): string =>
  Array.isArray(value) ? "[]interface {}" : (goTypes[typeof value] ?? "map[string]interface {}");
