const lineBreaks = /[\r\n]/g;
const padded = /^[A-Za-z0-9+/]*={0,2}$/;

/** Returns a base64 text without its line breaks, or `undefined` if it is not valid base64 with padding. */
export function base64In(text: string): string | undefined {
  const clean = text.replace(lineBreaks, "");
  return clean.length % 4 === 0 && padded.test(clean) ? clean : undefined;
}
