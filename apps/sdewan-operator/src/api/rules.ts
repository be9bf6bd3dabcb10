import { cel } from "@kubewright/apimachinery";
import { secretTexts } from "./values.ts";

/**
 * Returns a CEL expression that is true if a field is set. As on the CNF, blank text counts as absent.
 *
 * The rules in this file involve several fields, and reject objects that the CNF would never accept. Their messages never repeat a
 * value, because it may be a secret.
 */
const has = (field: string): string => `(has(self.${field}) && self.${field}.trim() != '')`;
const is = (field: string, value: string): string => `(has(self.${field}) && self.${field} == '${value}')`;

const needs = (condition: string, fields: readonly string[], message: string, fieldPath: string) =>
  cel(`!${condition} || ${fields.map(has).join(" || ")}`, { message, fieldPath, reason: "FieldValueRequired" });
const always = (field: string, message: string) =>
  cel(has(field), { message, fieldPath: `.${field}`, reason: "FieldValueRequired" });

export const markNeedsMark = needs(
  is("target", "MARK"),
  ["set_mark", "set_xmark"],
  "set_mark or set_xmark is needed for the target MARK",
  ".set_mark",
);

export const snatRules = [
  always("src_dip", "the address to translate to is needed for SNAT"),
  always("dest", "the zone that traffic leaves through is needed for SNAT"),
];

export const dnatRules = [always("src", "the zone that traffic enters through is needed for DNAT")];

/**
 * Rules for address translations. They allow a DNAT without a destination because the reference samples contain one,
 * although the CNF rejects it.
 */
export const natRules = [
  needs(is("target", "SNAT"), ["src_dip"], "the address to translate to is needed for the target SNAT", ".src_dip"),
  needs(
    is("target", "SNAT"),
    ["dest"],
    "the interface that traffic leaves through is needed for the target SNAT",
    ".dest",
  ),
  needs(
    is("target", "MASQUERADE"),
    ["dest"],
    "the interface that traffic leaves through is needed for MASQUERADE",
    ".dest",
  ),
];

const pskNeedsKey = cel(
  `!${is("authentication_method", "psk")} || ${has("pre_shared_key")} || has(self.preSharedKeySecretRef)`,
  {
    message: "a key is needed for the authentication method psk: pre_shared_key or preSharedKeySecretRef",
    fieldPath: ".pre_shared_key",
    reason: "FieldValueRequired",
  },
);

/**
 * Validation rule that checks a string as `pattern` does. Unlike the error message of `pattern`, the rule's message
 * does not repeat the value.
 */
const isText = (field: string, { pattern, meaning }: { readonly pattern: string; readonly meaning: string }) =>
  cel(`!has(self.${field}) || self.${field}.trim().matches(r'${pattern}')`, {
    message: `not ${meaning}`,
    fieldPath: `.${field}`,
    reason: "FieldValueInvalid",
  });

/** Rules for fields that identify a CNF to its peers. */
export const keyRules = [
  pskNeedsKey,
  isText("pre_shared_key", secretTexts.text),
  isText("local_private_cert", secretTexts.base64),
];
