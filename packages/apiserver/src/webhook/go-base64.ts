const alphabet = /[A-Za-z0-9+/]/;
const isBreak = (char: string | undefined): boolean => char === "\n" || char === "\r";

/** Text that is not base64. The message is Go's. */
export class IllegalBase64 extends Error {
  override readonly name = "IllegalBase64";

  constructor(at: number) {
    super(`illegal base64 data at input byte ${at}`);
  }
}

/**
 * Decodes padded base64 as strictly as Go does; line breaks may be anywhere.
 *
 * @throws {IllegalBase64}
 * @see Go encoding/base64 StdEncoding
 */
export function decodeGoBase64(text: string): Buffer {
  let inQuantum = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (isBreak(char)) continue;
    if (char === "=") {
      checkPadding(text, at, inQuantum);
      inQuantum = 0;
      break;
    }
    if (!alphabet.test(char)) throw new IllegalBase64(at);
    inQuantum = (inQuantum + 1) % 4;
  }
  if (inQuantum > 0) throw new IllegalBase64(text.length - inQuantum);
  return Buffer.from(text, "base64");
}

/** One or two signs fill up the last four, and nothing follows. */
function checkPadding(text: string, start: number, inQuantum: number): void {
  if (inQuantum < 2) throw new IllegalBase64(start);
  let at = next(text, start + 1);
  if (inQuantum === 2) {
    if (text[at] !== "=") throw new IllegalBase64(at);
    at = next(text, at + 1);
  }
  if (at < text.length) throw new IllegalBase64(at);
}

function next(text: string, from: number): number {
  let at = from;
  while (isBreak(text[at])) at++;
  return at;
}
