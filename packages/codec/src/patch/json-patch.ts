import { patchInPlace, type RawOperation } from "@kubewright/apimachinery";
import { isTooDeep } from "../json/depth.ts";

/**
 * Applies a JSON patch from a client, a webhook or a policy to a document in place, and limits how deeply the result may nest.
 *
 * @throws {JsonPatchError} if an operation fails
 */
export const applyRawJsonPatch = (document: unknown, operations: readonly RawOperation[]): unknown =>
  patchInPlace(document, operations, { isTooDeep });
