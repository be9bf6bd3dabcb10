import { patchInPlace, type RawOperation } from "@kubewright/apimachinery";
import { isTooDeep } from "../json/depth.ts";

/**
 * Applies a JSON patch from a client, a webhook or a policy to a document in place. It nests no deeper than objects may.
 *
 * @throws {JsonPatchError}
 */
export const applyJsonPatch = (document: unknown, operations: readonly RawOperation[]): unknown =>
  patchInPlace(document, operations, { isTooDeep });
