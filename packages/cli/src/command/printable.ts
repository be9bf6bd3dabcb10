/** Characters that move a terminal's cursor, rename its window or reverse text. Line ends and tabs are not among them. */
const control = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

/** Escapes control characters for a terminal. Much of the text comes from files, clusters and registries of others. */
export const printable = (text: string): string =>
  text.replace(control, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Line ends, except before the ` | ` with which a message points into an expression. */
const lineEnds = /[\r\n\u2028\u2029]+(?! \| )[ \t]*/g;

/** Like {@link printable}, on one line. A line end in an object's name or a message could otherwise forge a line of output. */
export const onOneLine = (text: string): string => printable(text.replace(lineEnds, "; "));
