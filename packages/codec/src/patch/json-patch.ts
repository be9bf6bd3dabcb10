import { patchInPlace, type RawOperation } from "@kubewright/apimachinery";
import { isTooDeep } from "../json/depth.ts";

/**
 * A document after the JSON patch that a client, a webhook or a policy sent. The document is changed in place, and goes no deeper than
 * objects may.
 *
 * @param reached takes the containers that the patch's paths lead through
 * @throws {JsonPatchError}
 */
export function applyJsonPatch(
  document: unknown,
  operations: readonly RawOperation[],
  reached: Set<object> = new Set(),
): unknown {
  return patchInPlace(document, operations, { reached, isTooDeep });
}
