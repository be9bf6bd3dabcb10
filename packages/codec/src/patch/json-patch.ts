import { patchInPlace, type RawOperation } from "@kubewright/apimachinery";
import { isTooDeep } from "../json/depth.ts";

/**
 * A document after the JSON patch that a client, a webhook or a policy sent. The document is changed in place, and goes no deeper than
 * objects may.
 *
 * @throws {JsonPatchError}
 */
export const applyJsonPatch = (document: unknown, operations: readonly RawOperation[]): unknown =>
  patchInPlace(document, operations, { isTooDeep });
