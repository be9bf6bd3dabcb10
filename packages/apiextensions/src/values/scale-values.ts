import { type FieldError, fieldError, isRecord, ownMember, stringifyJson } from "@kubewright/apimachinery";
import type { ScaleSubresource } from "../definition/definition.ts";

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
  const blocked = notAMap(object, path);
  if (blocked !== undefined)
    return [fieldError.invalid(path, 0, accessProblem(path, blocked, "map[string]interface{}"))];
  const replicas = valueAt(object, path);
  if (replicas === undefined) return [];
  const isInteger =
    typeof replicas === "bigint" ||
    (typeof replicas === "number" && Number.isInteger(replicas) && Math.abs(replicas) < 2 ** 63);
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
    .reduce((inner: unknown, name) => (isRecord(inner) ? ownMember(inner, name) : undefined), object);

/** What stands on the way to a place and has no members. */
function notAMap(object: unknown, path: string): unknown {
  let at = object;
  for (const name of path.replace(/^\./, "").split(".").slice(0, -1)) {
    at = isRecord(at) ? ownMember(at, name) : undefined;
    if (at === undefined) return undefined;
    if (!isRecord(at)) return at;
  }
  return undefined;
}

function accessProblem(path: string, value: unknown, wanted: string): string {
  const isWhole =
    typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 2 ** 63);
  const type = isWhole
    ? "int64"
    : Array.isArray(value)
      ? "[]interface {}"
      : (goTypes[typeof value] ?? "map[string]interface {}");
  return `${path} accessor error: ${typeof value === "string" ? value : stringifyJson(value)} is of the type ${type}, expected ${wanted}`;
}
