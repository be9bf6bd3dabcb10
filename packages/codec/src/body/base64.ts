const lineBreaks = /[\r\n]/g;
const padded = /^[A-Za-z0-9+/]*={0,2}$/;

/** The text without line breaks; `undefined` where it is not base64 with its padding. */
export function base64In(text: string): string | undefined {
  const clean = text.replace(lineBreaks, "");
  return clean.length % 4 === 0 && padded.test(clean) ? clean : undefined;
}
