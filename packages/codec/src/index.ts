export { base64In } from "./body/base64.ts";
export { asObjectMeta } from "./body/object-meta.ts";
export { isUnreadableTextError, readJsonText, readYamlText, UnreadableTextError } from "./body/read-body.ts";
export { unexplained } from "./body/unexplained.ts";
export { decodeBody, decodeValue, withType } from "./decode/decode.ts";
export { decodeBuiltin, isTypeMismatchError, TypeMismatchError } from "./decode/decode-builtin.ts";
export { decodeOptions } from "./decode/decode-options.ts";
export { pruneCustom } from "./decode/prune.ts";
export { convertScalar, decodeScalar } from "./decode/scalar-decoder.ts";
export { isTooDeep } from "./json/depth.ts";
export { wrongType } from "./json/wrong-type.ts";
export { parseAccept } from "./negotiation/accept.ts";
export { encode, wantsPretty } from "./negotiation/encode.ts";
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
} from "./negotiation/negotiate.ts";
export { checkObject } from "./patch/check-object.ts";
export { applyRawJsonPatch } from "./patch/json-patch.ts";
export { type ParsedPatch, parsePatch } from "./patch/patch-body.ts";
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
} from "./protobuf/protobuf-document.ts";
export { encodeMessage } from "./protobuf/protobuf-encode.ts";
export { wireFields } from "./protobuf/protobuf-reader.ts";
export { readYaml } from "./yaml/yaml-reader.ts";
