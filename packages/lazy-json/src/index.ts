export {
  AttachedFields,
  approximateSizeOf,
  freezeParsed,
  jsonOf,
  type KeptMember,
  MemberAccessors,
  MemberComparison,
  type OnParsed,
  readValuesOf,
  type UnreadMember,
  unreadMemberOf,
} from "./deferred-members.ts";
export { endOfSameString, endOfSameStrings, isName, isPlainString, parsedValue, textAt } from "./json-text.ts";
export { isComposite, isLong, LazyDecoder, type LazyDecoderOptions, type MemberTable } from "./lazy-decoder.ts";
export { SharedParts, shareStrings } from "./shared-values.ts";
