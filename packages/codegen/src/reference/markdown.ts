/** Code in a line, whatever is in it. */
export function code(text: string): string {
  const line = text.replace(/\s*[\r\n\u2028\u2029]\s*/g, " ");
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const space = line.startsWith("`") || line.endsWith("`") || line === "" ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}

/** Text that somebody else wrote: nothing in it is markup of pages, or of what builds them. */
export const prose = (text: string): string =>
  text.trim().replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;");

/** A table's cell is one line. */
export const inCell = (text: string): string =>
  text
    .replaceAll("|", "\\|")
    .replace(/(\r\n|[\r\n\u2028\u2029]){2,}/g, "<br><br>")
    .replace(/\r\n|[\r\n\u2028\u2029]/g, " ");
