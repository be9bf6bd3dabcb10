/** Part of a word: text or an expansion. Quoted parts remain even if they are empty. */
export type Part =
  | { readonly type: "text"; readonly text: string; readonly isQuoted: boolean }
  | { readonly type: "variable"; readonly name: string; readonly isQuoted: boolean }
  | { readonly type: "arithmetic"; readonly text: string; readonly isQuoted: boolean }
  | { readonly type: "command"; readonly script: string; readonly isQuoted: boolean };

export type Word = readonly Part[];

export type Token =
  | { readonly type: "word"; readonly word: Word }
  | { readonly type: "operator"; readonly text: string }
  /** The head of a function, including its brace. */
  | { readonly type: "function"; readonly name: string };

/** Shell syntax that is not simulated. */
export class UnsupportedScript extends Error {
  override readonly name = "UnsupportedScript";
}

const operators = ["&&", "||", ">>", ";", "\n", ">", "&", "|"];

/**
 * Splits a script into words and operators. @throws {UnsupportedScript} if the script contains subshells, here documents and the like
 */
export function tokensOf(script: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < script.length) {
    const rest = script.slice(at);
    const blank = /^(?:[ \t\r]|\\\n|#[^\n]*)+/.exec(rest)?.[0];
    if (blank) {
      at += blank.length;
      continue;
    }
    const operator = operators.find((each) => rest.startsWith(each));
    if (operator) {
      tokens.push({ type: "operator", text: operator });
      at += operator.length;
      continue;
    }
    const head = /^([A-Za-z_]\w*)\(\)\s*\{/.exec(rest);
    if (head) {
      tokens.push({ type: "function", name: head[1] ?? "" });
      at += head[0].length;
      continue;
    }
    if (/^\}(?=[\s;&]|$)/.test(rest)) {
      tokens.push({ type: "word", word: [{ type: "text", text: "}", isQuoted: false }] });
      at += 1;
      continue;
    }
    const { word, end } = wordAt(script, at);
    tokens.push({ type: "word", word });
    at = end;
  }
  return tokens;
}

function wordAt(script: string, from: number): { readonly word: Word; readonly end: number } {
  const parts: Part[] = [];
  let at = from;
  let isQuoted = false;
  while (at < script.length) {
    const char = script[at] ?? "";
    if (char === '"') {
      isQuoted = !isQuoted;
      parts.push({ type: "text", text: "", isQuoted: true });
      at += 1;
    } else if (char === "$") {
      const { part, end } = expansionAt(script, at, isQuoted);
      parts.push(part);
      at = end;
    } else if (char === "\\") {
      parts.push({ type: "text", text: script[at + 1] ?? "", isQuoted: true });
      at += 2;
    } else if (isQuoted) {
      parts.push({ type: "text", text: char, isQuoted });
      at += 1;
    } else if (char === "'") {
      const end = script.indexOf("'", at + 1);
      if (end < 0) throw new UnsupportedScript("a quote is not closed");
      parts.push({ type: "text", text: script.slice(at + 1, end), isQuoted: true });
      at = end + 1;
    } else if (/[\s;>&|]/.test(char)) break;
    else if (/[<`()]/.test(char) || (parts.length === 0 && /^(\{\s|\})/.test(script.slice(at, at + 2))))
      throw new UnsupportedScript(`"${char}" is not simulated`);
    else {
      parts.push({ type: "text", text: char, isQuoted });
      at += 1;
    }
  }
  if (isQuoted) throw new UnsupportedScript("a quote is not closed");
  return { word: parts, end: at };
}

function expansionAt(script: string, at: number, isQuoted: boolean): { readonly part: Part; readonly end: number } {
  const rest = script.slice(at);
  if (rest.startsWith("$((")) {
    const close = script.indexOf("))", at);
    if (close < 0) throw new UnsupportedScript("$(( is not closed");
    return { part: { type: "arithmetic", text: script.slice(at + 3, close), isQuoted }, end: close + 2 };
  }
  if (rest.startsWith("$(")) {
    const end = closingOf(script, at + 1);
    return { part: { type: "command", script: script.slice(at + 2, end), isQuoted }, end: end + 1 };
  }
  const name = /^\$(?:\{(\w+)\}|(\w+|\?|\$))/.exec(rest);
  if (name) return { part: { type: "variable", name: name[1] ?? name[2] ?? "", isQuoted }, end: at + name[0].length };
  if (rest.startsWith("${")) throw new UnsupportedScript("this kind of variable is not simulated");
  return { part: { type: "text", text: "$", isQuoted }, end: at + 1 };
}

function closingOf(script: string, open: number): number {
  let depth = 0;
  for (let at = open; at < script.length; at++) {
    if (script[at] === "(") depth += 1;
    if (script[at] === ")" && --depth === 0) return at;
  }
  throw new UnsupportedScript("$( is not closed");
}
