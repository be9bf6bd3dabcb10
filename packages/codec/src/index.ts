export { parseAccept } from "./codec/accept.ts";
export { checkObject } from "./codec/check-object.ts";
export { decodeBody, decodeValue, withType } from "./codec/decode.ts";
export { decodeBuiltin, TypeMismatch } from "./codec/decode-builtin.ts";
export { decodeOptions } from "./codec/decode-options.ts";
export { isTooDeep } from "./codec/depth.ts";
export { asSent, copyAsSent, withMembers } from "./codec/emptied.ts";
export { encode, wantsPretty } from "./codec/encode.ts";
export { jsonTypeName } from "./codec/go-names.ts";
export { applyJsonPatch, JsonPatchError, JsonPatchTestFailed, type RawOperation } from "./codec/json-patch.ts";
export { jsonSyntaxError } from "./codec/json-syntax-error.ts";
export {
  aggregatedFormat,
  isProduced,
  type MediaType,
  type Negotiated,
  negotiate,
  negotiateError,
  notProduced,
  notStreamed,
  unknownView,
} from "./codec/negotiate.ts";
export { asObjectMeta } from "./codec/object-meta.ts";
export { type PatchBody, parsePatch } from "./codec/patch-body.ts";
export { patchedText } from "./codec/patched-text.ts";
export {
  decodeDocument,
  encodeDocument,
  envelopeHead,
  envelopeTail,
  fieldHead,
  inEnvelope,
  isProtobuf,
  kindOfDocument,
  watchFrame,
} from "./codec/protobuf-document.ts";
export { encodeMessage } from "./codec/protobuf-encode.ts";
export { wireFields } from "./codec/protobuf-reader.ts";
export { pruneCustom } from "./codec/prune.ts";
export { readJsonText, readYamlText, UnreadableText } from "./codec/read-body.ts";
export { convertScalar, decodeScalar } from "./codec/scalar-decoder.ts";
export { shownPatch } from "./codec/shown-patch.ts";
export { unexplained } from "./codec/unexplained.ts";
export { readYaml } from "./codec/yaml-reader.ts";
