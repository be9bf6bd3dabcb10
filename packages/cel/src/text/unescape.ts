const simple: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "`": "`",
  "?": "?",
};

/**
 * Returns the value of a string literal, given as written, with its quotes and prefix.
 *
 * @see cel-go parser/unescape.go
 */
export function unquoteString(literal: string): string | { readonly error: string } {
  const { body, isRaw } = bodyOf(literal);
  if (isRaw || !body.includes("\\")) return body;
  let failure: string | undefined;
  const text = body.replace(sequences, (whole, plain: string | undefined, kind = "", digits = "") => {
    if (plain !== undefined) return simple[plain] ?? whole;
    const code = Number.parseInt(digits, kind === "" ? 8 : 16);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      failure = "invalid unicode code point";
      return "";
    }
    return String.fromCodePoint(code);
  });
  return failure === undefined ? text : { error: failure };
}

/** Returns the value of a byte literal, in which octal and hex escapes are bytes, not code points. */
export function unquoteBytes(literal: string): Uint8Array | { readonly error: string } {
  const { body, isRaw } = bodyOf(literal.slice(1));
  if (isRaw) return Buffer.from(body, "utf8");
  const parts: Buffer[] = [];
  let last = 0;
  for (const match of body.matchAll(sequences)) {
    const [whole, plain, kind = "", digits = ""] = match;
    parts.push(Buffer.from(body.slice(last, match.index), "utf8"));
    last = match.index + whole.length;
    if (plain !== undefined) parts.push(Buffer.from(simple[plain] ?? whole, "utf8"));
    else if (kind === "u" || kind === "U") return { error: "unable to unescape string" };
    else parts.push(Buffer.from([Number.parseInt(digits, kind === "" ? 8 : 16)]));
  }
  parts.push(Buffer.from(body.slice(last), "utf8"));
  return Buffer.concat(parts);
}

/** Matches an escape: a backslash, the character after it (which an octal escape does not have), and digits. */
const sequences =
  /\\(?:([abfnrtv\\'"`?])|([xX](?=[0-9a-fA-F]{2})|u(?=[0-9a-fA-F]{4})|U(?=[0-9a-fA-F]{8})|(?=[0-3][0-7]{2}))((?<=[xX])..|(?<=u).{4}|(?<=U).{8}|[0-3][0-7]{2}))/g;

function bodyOf(literal: string): { body: string; isRaw: boolean } {
  const isRaw = /^[rR]/.test(literal);
  const quoted = isRaw ? literal.slice(1) : literal;
  const normal = quoted.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  const width = /^("""|''')/.test(normal) && normal.length >= 6 ? 3 : 1;
  return { body: normal.slice(width, -width), isRaw };
}
