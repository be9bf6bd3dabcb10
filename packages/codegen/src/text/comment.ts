/**
 * Returns a documentation comment that ends with a newline, or an empty string if there is no text. Escapes text that
 * would end the comment.
 */
export function docComment(text: string | undefined, indent = ""): string {
  const lines = (text ?? "")
    .replaceAll("*/", "*\\/")
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.trimEnd());
  while (lines.at(-1) === "") lines.pop();
  while (lines[0] === "") lines.shift();
  const [first, ...more] = lines;
  if (first === undefined) return "";
  if (more.length === 0 && !first.endsWith("*\\/")) return `${indent}/** ${first.trimStart()} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line ? ` ${line}` : ""}\n`).join("")}${indent} */\n`;
}
