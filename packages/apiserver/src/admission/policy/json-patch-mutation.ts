import { JsonPatchError, JsonPatchTestError, type RawOperation } from "@kubewright/apimachinery";
import { CelList, CelOptional, CelStruct, type CelValue, toJson } from "@kubewright/cel";
import { applyRawJsonPatch } from "@kubewright/codec";
import { MutationError } from "./apply-configuration.ts";

/**
 * Applies a JSON patch returned by an expression to an object, and returns the result. Returns `undefined` if a `test`
 * operation in the patch fails; the object is then unchanged.
 *
 * @throws {MutationError} if the patch is not valid or cannot be applied
 *
 * @see apiserver pkg/admission/plugin/policy/mutating/patch json_patch.go
 */
export function applyPatchValue(object: Record<string, unknown>, value: CelValue): unknown {
  if (!(value instanceof CelList)) throw new MutationError("type mismatch: JSONPatch expression must be a list");
  const operations = [...value].map(operationOf);
  try {
    return applyRawJsonPatch(object, operations);
  } catch (error) {
    if (error instanceof JsonPatchTestError) return undefined;
    if (error instanceof JsonPatchError) throw new MutationError(`JSON Patch: ${error.message}`);
    throw error;
  }
}

function operationOf(value: CelValue): RawOperation {
  if (!(value instanceof CelStruct)) throw new MutationError("type mismatch: expected a list of JSONPatch");
  const member = (name: string): unknown => {
    const found = value.find(name);
    return found === undefined || (found instanceof CelOptional && found.value === undefined)
      ? undefined
      : toJson(found);
  };
  const from = member("from");
  const given = member("value");
  return {
    op: member("op") ?? "",
    path: member("path") ?? "",
    ...(from ? { from } : {}),
    ...(given === undefined ? {} : { value: given }),
  };
}
