/** A text that people read, and the line on which it begins. */
export interface Prose {
  readonly line: number;
  readonly text: string;
}

/**
 * Returns the prose in a file: the paragraphs of a Markdown file, or the comments of a TypeScript file and its strings that
 * contain a space.
 */
export const proseOf = (path: string, text: string): readonly Prose[] =>
  path.endsWith(".md") ? ofMarkdown(text) : ofTypeScript(text);

/**
 * Matches the parts of a Markdown file that are not prose: fenced code, comments (which contain code to run) and the
 * front matter.
 */
const notProse = /^(```|~~~)[\s\S]*?^\1|<!--[\s\S]*?-->|^---\n[\s\S]*?\n---$/gm;

function ofMarkdown(text: string): Prose[] {
  const bare = text.replace(notProse, blank).replace(/`[^`\n]*`/g, "`…`");
  return blocks(bare, /\n\s*\n|\n(?=\s*([-*|>]|\d+\.|#+) ?)/);
}

/** Replaces a text with its line ends, so that the line numbers of the following text stay the same. */
const blank = (text: string): string => text.replace(/[^\n]/g, " ");

function blocks(text: string, between: RegExp): Prose[] {
  const found: Prose[] = [];
  let line = 1;
  for (const part of text.split(new RegExp(`(${between.source})`))) {
    if (part === undefined) continue;
    const words = part.replace(/\s+/g, " ").trim();
    const lead = part.length - part.trimStart().length;
    if (words.includes(" ")) found.push({ line: line + lineEnds(part.slice(0, lead)), text: words });
    line += lineEnds(part);
  }
  return found;
}

const lineEnds = (text: string): number => text.split("\n").length - 1;

/** Matches one token: a block comment, consecutive line comments, a string, a template, or a regular expression. */
const token =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|(?<=[=(,:[!&|?{};\n]\s*)\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;

function ofTypeScript(text: string): Prose[] {
  const found: Prose[] = [];
  for (const { 0: raw, index } of text.matchAll(token)) {
    const line = 1 + lineEnds(text.slice(0, index));
    if (raw.startsWith("//") || raw.startsWith("/*")) found.push(...ofComment(raw, line));
    else if (/^["'`]/.test(raw) && raw.includes(" "))
      found.push({ line, text: withoutCode(raw.slice(1, -1)).replace(/\\n/g, " ") });
  }
  return found;
}

function ofComment(raw: string, line: number): Prose[] {
  const text = raw
    .replace(/^\/\*\*?|\*\/$/g, blank)
    .replace(/^[ \t]*(\/\/|\*)/gm, "")
    .replace(/^ *(```)[\s\S]*?^ *\1/gm, blank)
    .replace(/`[^`\n]*`/g, "`…`")
    .replace(/\{@link ([^}]*)\}/g, "`…`")
    .replace(/@see .*/g, "");
  return blocks(text, /\n\s*\n|\n(?=\s*(?:@[a-z]|[-*] |\d+\. ))/).map((one) => ({ ...one, line: one.line + line - 1 }));
}

/** Returns a template without its interpolated expressions. */
const withoutCode = (text: string): string => text.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "…");
