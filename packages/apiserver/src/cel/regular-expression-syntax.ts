const classes: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7F",
  blank: "\\t ",
  cntrl: "\\x00-\\x1F\\x7F",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};
const perl: Readonly<Record<string, string>> = {
  d: "[0-9]",
  D: "[^0-9]",
  w: "[0-9A-Za-z_]",
  W: "[^0-9A-Za-z_]",
  s: "[\\t\\n\\f\\r ]",
  S: "[^\\t\\n\\f\\r ]",
};
const inClass: Readonly<Record<string, string>> = { d: "0-9", w: "0-9A-Za-z_", s: "\\t\\n\\f\\r " };
const controls: Readonly<Record<string, string>> = {
  a: "\\x07",
  f: "\\f",
  t: "\\t",
  n: "\\n",
  r: "\\r",
  v: "\\v",
};
const maxRepeat = 1000;

type Read = { readonly source: string } | { readonly error: string };

/** Goes through an expression of RE2's syntax and writes the same in JavaScript's. */
export function readGroup(pattern: string): Read {
  const reader = new Reader(pattern);
  try {
    return { source: reader.read() };
  } catch (error) {
    if (error instanceof SyntaxProblem) return { error: error.message };
    throw error;
  }
}

class SyntaxProblem extends Error {
  override readonly name = "SyntaxProblem";
}

const problem = (what: string, where: string): never => {
  throw new SyntaxProblem(`${what}: \`${where}\``);
};

interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

class Reader {
  readonly #text: string;
  #at = 0;
  #flags: Flags = { i: false, m: false, s: false };

  constructor(text: string) {
    this.#text = text;
  }

  read(): string {
    const source = this.#alternatives(0);
    if (this.#at < this.#text.length) problem("unexpected )", this.#text);
    return source;
  }

  #alternatives(depth: number): string {
    if (depth > 250) problem("expression nests too deeply", this.#text);
    const before = this.#flags;
    let source = "";
    let previous = "";
    while (this.#at < this.#text.length && this.#text[this.#at] !== ")") {
      const start = this.#at;
      const char = this.#text[this.#at] ?? "";
      if (/[*+?]/.test(char) || (char === "{" && this.#isRepeat())) {
        source += this.#repeat(previous, start);
        previous = "*";
        continue;
      }
      const piece = this.#piece(char, depth);
      source += piece;
      previous = piece === "" || char === "|" ? "" : "x";
    }
    this.#flags = before;
    return source;
  }

  #isRepeat(): boolean {
    return /^\{\d+(?:,\d*)?\}/.test(this.#text.slice(this.#at));
  }

  #repeat(previous: string, start: number): string {
    const [whole = ""] = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(this.#text.slice(this.#at)) ?? [];
    if (previous === "") problem("missing argument to repetition operator", whole);
    if (previous === "*") {
      const before = /(?:[*+?]|\{\d+(?:,\d*)?\})\??$/.exec(this.#text.slice(0, start))?.[0] ?? "";
      problem("invalid nested repetition operator", before + whole);
    }
    const [low = 0, high = low] = [...whole.matchAll(/\d+/g)].map(([digits]) => Number(digits));
    if (low > maxRepeat || high > maxRepeat || low > high) problem("invalid repeat count", whole.replace(/\?$/, ""));
    this.#at += whole.length;
    return whole;
  }

  #piece(char: string, depth: number): string {
    if (char === "(") return this.#group(depth);
    if (char === "[") return this.#class();
    if (char === "\\") return this.#escape();
    const point = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    this.#at += point.length;
    if (char === ".") return this.#flags.s ? "[\\s\\S]" : "[^\\n]";
    if (char === "^") return this.#flags.m ? "(?<![^\\n])" : "(?<![\\s\\S])";
    if (char === "$") return this.#flags.m ? "(?![^\\n])" : "(?![\\s\\S])";
    if (/[{}\]]/.test(char)) return `\\${char}`;
    return this.#flags.i ? bothCases(point) : point;
  }

  #group(depth: number): string {
    const rest = this.#text.slice(this.#at);
    const flags = /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest);
    if (rest.startsWith("(?") && flags) {
      this.#at += flags[0].length;
      const outer = this.#flags;
      this.#setFlags(flags[1] ?? "", flags[2] ?? "");
      if (flags[3] === ")") return "";
      const body = this.#alternatives(depth + 1);
      this.#flags = outer;
      return `(?:${body}${this.#close(rest)}`;
    }
    const named = /^\(\?P?<([A-Za-z0-9_]+)>/.exec(rest);
    if (named) this.#at += named[0].length;
    else if (rest.startsWith("(?P<"))
      problem("invalid named capture", rest.slice(0, rest.indexOf(">") + 1 || undefined));
    else if (rest.startsWith("(?")) problem("invalid or unsupported Perl syntax", rest.slice(0, 3));
    else this.#at++;
    const outer = this.#flags;
    const body = this.#alternatives(depth + 1);
    this.#flags = outer;
    return `(${body}${this.#close(rest)}`;
  }

  #setFlags(on: string, off: string): void {
    const value = (name: keyof Flags): boolean => (this.#flags[name] || on.includes(name)) && !off.includes(name);
    this.#flags = { i: value("i"), m: value("m"), s: value("s") };
  }

  #close(_opened: string): string {
    if (this.#text[this.#at] !== ")") problem("missing closing )", this.#text);
    this.#at++;
    return ")";
  }

  #class(): string {
    const start = this.#at;
    this.#at++;
    let body = "";
    if (this.#text[this.#at] === "^") {
      body += "^";
      this.#at++;
    }
    let isFirst = true;
    while (this.#at < this.#text.length && (isFirst || this.#text[this.#at] !== "]")) {
      isFirst = false;
      const rest = this.#text.slice(this.#at);
      const posix = /^\[:(\^?)([a-z]+):\]/.exec(rest);
      if (posix) {
        const members = classes[posix[2] ?? ""];
        if (members === undefined) problem("invalid character class range", posix[0]);
        body += posix[1] ? complement(members ?? "") : (members ?? "");
        this.#at += posix[0].length;
        continue;
      }
      body += this.#member(start);
    }
    if (this.#at >= this.#text.length) problem("missing closing ]", this.#text.slice(start));
    this.#at++;
    const source = body === "^" ? "[\\s\\S]" : `[${body}]`;
    return this.#flags.i ? source.replace(/[A-Za-z](?:-[A-Za-z])?/g, (part) => part + swapCase(part)) : source;
  }

  #member(start: number): string {
    const from = this.#point(start);
    if (from.isClass || this.#text[this.#at] !== "-" || /^-(?:\]|$)/.test(this.#text.slice(this.#at)))
      return from.source;
    const at = this.#at;
    this.#at++;
    const to = this.#point(start);
    if (to.isClass) {
      this.#at = at;
      return from.source;
    }
    if (from.code > to.code) problem("invalid character class range", `${from.text}-${to.text}`);
    return `${from.source}-${to.source}`;
  }

  #point(start: number): { source: string; text: string; code: number; isClass: boolean } {
    const char = this.#text[this.#at] ?? "";
    if (char !== "\\") {
      const text = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
      this.#at += text.length;
      const source = /[\\\][^()|{}/.*+?$-]/.test(text) ? `\\${text}` : text;
      return { source, text, code: text.codePointAt(0) ?? 0, isClass: false };
    }
    const next = this.#text[this.#at + 1] ?? "";
    if (next === "") problem("missing closing ]", this.#text.slice(start));
    const lower = inClass[next.toLowerCase()];
    if (lower !== undefined) {
      this.#at += 2;
      return { source: next === next.toLowerCase() ? lower : complement(lower), text: next, code: 0, isClass: true };
    }
    const at = this.#at;
    const source = this.#escape(true);
    const text = this.#text.slice(at, this.#at);
    return { source, text, code: codeOf(source), isClass: /^\\[pP]/.test(source) };
  }

  #escape(isInClass = false): string {
    const rest = this.#text.slice(this.#at);
    const next = rest[1] ?? "";
    if (next === "") problem("trailing backslash at end of expression", "");
    const literal = /^\\Q(.*?)(?:\\E|$)/s.exec(rest);
    if (literal && !isInClass) {
      this.#at += literal[0].length;
      return (literal[1] ?? "").replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    }
    const hex = /^\\x(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]+)\})/.exec(rest);
    const octal = /^\\([0-7]{1,3})/.exec(rest);
    const property = /^\\([pP])(?:\{(\^?)([A-Za-z_]+)\}|([A-Za-z]))/.exec(rest);
    const take = (length: number, source: string): string => {
      this.#at += length;
      return source;
    };
    if (hex) return take(hex[0].length, `\\u{${hex[1] ?? hex[2]}}`);
    if (octal && (next === "0" || (octal[1] ?? "").length > 1))
      return take(octal[0].length, `\\u{${Number.parseInt(octal[1] ?? "0", 8).toString(16)}}`);
    if (property) return take(property[0].length, propertyClass(property, rest));
    const mapped = controls[next] ?? (isInClass ? undefined : perl[next]);
    if (mapped !== undefined) return take(2, mapped);
    if (!isInClass && (next === "b" || next === "B")) return take(2, `\\${next}`);
    if (!isInClass && next === "A") return take(2, "(?<![\\s\\S])");
    if (!isInClass && next === "z") return take(2, "(?![\\s\\S])");
    if (/[^A-Za-z0-9]/.test(next) && next < "\x7f") {
      const isSyntax = /[\^$\\.*+?()[\]{}|/-]/.test(next);
      return take(2, isSyntax && (next !== "-" || isInClass) ? `\\${next}` : next);
    }
    return problem("invalid escape sequence", `\\${next}`);
  }
}

const scripts =
  /^(?:Greek|Latin|Cyrillic|Han|Hiragana|Katakana|Hangul|Arabic|Hebrew|Thai|Devanagari|Armenian|Georgian|Common)$/;

function propertyClass([whole, letter, caret, long, short]: RegExpExecArray, rest: string): string {
  const name = long ?? short ?? "";
  const isNegated = (letter === "P") !== (caret === "^");
  if (!scripts.test(name) && !/^[A-Z][a-z]?$/.test(name)) problem("invalid character class range", whole || rest);
  return `\\${isNegated ? "P" : "p"}{${scripts.test(name) ? `Script=${name}` : name}}`;
}

const codeOf = (source: string): number => {
  const hex = /^\\u\{([0-9a-fA-F]+)\}$/.exec(source)?.[1];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  return source.replace(/^\\/, "").codePointAt(0) ?? 0;
};

/** Within a class, everything but its members: not expressible, so by the ranges around them. */
function complement(members: string): string {
  const inside = new RegExp(`[${members}]`);
  let ranges = "";
  let from: number | undefined;
  for (let code = 0; code <= 0x80; code++) {
    const isOutside = code < 0x80 && !inside.test(String.fromCharCode(code));
    if (isOutside) from ??= code;
    else if (from !== undefined) {
      ranges += `\\u{${from.toString(16)}}-\\u{${(code - 1).toString(16)}}`;
      from = undefined;
    }
  }
  return `${ranges}\\u{80}-\\u{10ffff}`;
}

const bothCases = (point: string): string =>
  /[A-Za-z]/.test(point) && point.length === 1 ? `[${point.toLowerCase()}${point.toUpperCase()}]` : point;

const swapCase = (text: string): string =>
  text.replace(/[A-Za-z]/g, (char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase()));
