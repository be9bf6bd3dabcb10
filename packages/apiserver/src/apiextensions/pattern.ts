const compiled = new Map<string, RegExp | undefined>();

/** A pattern of RE2 as a JavaScript expression; `undefined` if it cannot be read. */
export function compilePattern(pattern: string): RegExp | undefined {
  if (!compiled.has(pattern)) compiled.set(pattern, compile(pattern));
  return compiled.get(pattern);
}

const classes: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  blank: "\\t ",
  digit: "0-9",
  lower: "a-z",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

function compile(pattern: string): RegExp | undefined {
  const flags = /^\(\?([ims]+)\)/.exec(pattern)?.[1] ?? "";
  const source = pattern
    .replace(/^\(\?[ims]+\)/, "")
    .replace(/\[:(\w+):\]/g, (whole, name: string) => classes[name] ?? whole)
    .replace(/\(\?P</g, "(?<")
    .replace(/\\A/g, "^")
    .replace(/\\z/g, "$");
  for (const mode of ["u", ""]) {
    try {
      return new RegExp(source, flags + mode);
    } catch {
      // tried again without the stricter mode
    }
  }
  return undefined;
}
