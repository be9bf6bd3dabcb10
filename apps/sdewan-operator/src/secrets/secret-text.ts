import type { SecretField } from "../uci/cnf-kind.ts";

/**
 * Maximum lengths of values such as keys, in bytes. They are limited because each value becomes part of a request to
 * a CNF.
 */
const maxBytes = { text: 1_024, base64: 65_536 } as const;
const control = /\p{Cc}/u;
const pem = /^-----BEGIN [A-Z0-9 ]+-----/;

/**
 * Returns a value from a Secret in the form that the CNF expects, without a trailing line break.
 *
 * @param data base64, as in the Secret
 * @returns the text, or the reason why it is not valid, worded to follow "the value" in a message
 */
export function secretText(
  data: string,
  form: SecretField["form"],
): { readonly text: string } | { readonly why: string } {
  if (data.length > maxBytes[form] * 2) return tooLong(form);
  const bytes = Buffer.from(data, "base64");
  const text = bytes.toString("utf8").trim();
  if (text === "") return { why: "is empty" };
  if (bytes.length > maxBytes[form]) return tooLong(form);
  if (form === "base64" && pem.test(text)) return { text: Buffer.from(text).toString("base64") };
  if (!Buffer.from(bytes.toString("utf8")).equals(bytes)) return { why: "is not text (UTF-8)" };
  if (control.test(text))
    return { why: form === "text" ? "has more than one line" : "is neither PEM nor base64 on one line" };
  return { text };
}

const tooLong = (form: SecretField["form"]) => ({ why: `is larger than ${maxBytes[form]} bytes` });
