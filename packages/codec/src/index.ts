export { base64In } from "./body/base64.ts";
export type { ExpectedType, RequestedFieldValidation } from "./body/expected-type.ts";
export { asObjectMeta } from "./body/object-meta.ts";
export {
  isUnreadableTextError,
  type ReadText,
  readJsonText,
  readYamlText,
  UnreadableTextError,
} from "./body/read-body.ts";
export { unexplained } from "./body/unexplained.ts";
export { type DecodedBody, decodeBody, decodeValue, withType } from "./decode/decode.ts";
export { type Decoded, decodeBuiltin, isTypeMismatchError, TypeMismatchError } from "./decode/decode-builtin.ts";
export { decodeOptions } from "./decode/decode-options.ts";
export { pruneCustom } from "./decode/prune.ts";
export { convertScalar, decodeScalar } from "./decode/scalar-decoder.ts";
export { isTooDeep } from "./json/depth.ts";
export { countSeparators, maxValues, refuseTooManyValues } from "./json/value-count.ts";
export { wrongType } from "./json/wrong-type.ts";
export { type AcceptClause, parseAccept } from "./negotiation/accept.ts";
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
  type Offer,
  unknownView,
} from "./negotiation/negotiate.ts";
export { type CheckOptions, checkObject } from "./patch/check-object.ts";
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
export { type WireField, wireFields } from "./protobuf/protobuf-reader.ts";
export { readYaml, type YamlValue } from "./yaml/yaml-reader.ts";
