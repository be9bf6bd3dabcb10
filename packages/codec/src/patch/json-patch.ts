import { patchInPlace, type RawOperation } from "@kubewright/apimachinery";
import { isTooDeep } from "../json/depth.ts";

/**
 * Applies a JSON patch from a client, a webhook or a policy to a document in place. The nesting depth of the result is limited.
 *
 * @throws {JsonPatchError} if an operation fails
 */
export const applyRawJsonPatch = (document: unknown, operations: readonly RawOperation[]): unknown =>
  patchInPlace(document, operations, { isTooDeep });
