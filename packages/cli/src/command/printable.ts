/** What moves a terminal's cursor, renames its window or turns text round. Line ends and tabs stay. */
const control = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

/** Text for a terminal: much of it comes from files, clusters and registries that others wrote, and is to be read, not obeyed. */
export const printable = (text: string): string =>
  text.replace(control, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
