/** What moves a terminal's cursor, renames its window or turns text round. Line ends and tabs stay. */
const control = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

/** Text for a terminal: much of it comes from files, clusters and registries that others wrote, and is to be read, not obeyed. */
export const printable = (text: string): string =>
  text.replace(control, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Line ends, but for those before the ` | ` by which a message points into an expression. */
const lineEnds = /[\r\n\u2028\u2029]+(?! \| )[ \t]*/g;

/** The same on one line: a line end in the name of an object or in a message would begin a line of its own, which could say anything. */
export const onOneLine = (text: string): string => printable(text.replace(lineEnds, "; "));
