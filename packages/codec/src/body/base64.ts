const lineBreaks = /[\r\n]/g;
const padded = /^[A-Za-z0-9+/]*={0,2}$/;

/** Returns the text without line breaks, or `undefined` if it is not padded base64. */
export function base64In(text: string): string | undefined {
  const clean = text.replace(lineBreaks, "");
  return clean.length % 4 === 0 && padded.test(clean) ? clean : undefined;
}
