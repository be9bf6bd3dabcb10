import type { SecretField } from "../uci/cnf-kind.ts";

/** Longer ones are no keys: what is in a Secret goes into a request to a CNF. */
const longest = { text: 1_024, base64: 65_536 } as const;
const control = /\p{Cc}/u;
const pem = /^-----BEGIN [A-Z0-9 ]+-----/;

/**
 * A value of a Secret as the CNF wants it, without the line break that files end with.
 *
 * @param data base64, as Secrets have it
 * @returns or why it cannot be one, in words that go on from "the value"
 */
export function secretText(
  data: string,
  form: SecretField["form"],
): { readonly text: string } | { readonly why: string } {
  if (data.length > longest[form] * 2) return tooLong(form);
  const bytes = Buffer.from(data, "base64");
  const text = bytes.toString("utf8").trim();
  if (text === "") return { why: "is empty" };
  if (bytes.length > longest[form]) return tooLong(form);
  if (form === "base64" && pem.test(text)) return { text: Buffer.from(text).toString("base64") };
  if (!Buffer.from(bytes.toString("utf8")).equals(bytes)) return { why: "is not text (UTF-8)" };
  if (control.test(text))
    return { why: form === "text" ? "has more than one line" : "is neither PEM nor base64 in one line" };
  return { text };
}

const tooLong = (form: SecretField["form"]) => ({ why: `has more than ${longest[form]} bytes` });
