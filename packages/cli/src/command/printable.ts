/** Matches characters that can move a terminal's cursor, rename its window or reverse text, but not line ends and tabs. */
const control = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

/**
 * Escapes control characters for a terminal, because much of the output comes from other people's files, clusters and
 * registries.
 */
export const printable = (text: string): string =>
  text.replace(control, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Matches line ends, except before ` | `, which begins a line that points to a position in an expression. */
const lineEnds = /[\r\n\u2028\u2029]+(?! \| )[ \t]*/g;

/**
 * Like {@link printable}, but returns a single line. Otherwise, a line break in an object's name or in a message could
 * be used to forge a line of output.
 */
export const onOneLine = (text: string): string => printable(text.replace(lineEnds, "; "));
