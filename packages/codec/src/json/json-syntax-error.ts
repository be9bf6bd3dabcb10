import { quote } from "@kubewright/apimachinery";
import { maxDepth } from "./depth.ts";

/** What is wrong with a text that is no JSON, in the words of Go's decoder. @see encoding/json scanner.go */
export function jsonSyntaxError(text: string): string {
  try {
    new Scanner(text).top();
    return "unexpected end of JSON input";
  } catch (error) {
    if (error instanceof SyntaxProblem) return error.message;
    throw error;
  }
}

class SyntaxProblem extends Error {}

const literals: Readonly<Record<string, string>> = { t: "true", f: "false", n: "null" };
const escapes = new Set('bfnrt\\/"');

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  top(): void {
    const open: ("object" | "array")[] = [];
    do {
      const begun = this.#value(open.length);
      if (begun) open.push(begun);
      else while (open.length > 0 && this.#ends(open.at(-1))) open.pop();
    } while (open.length > 0);
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#failAt(this.#at, "after top-level value");
  }

  /** Reads a value, or the beginning of one that has others in it. */
  #value(depth: number): "object" | "array" | undefined {
    const char = this.#nextVisible();
    if (char === "{" || char === "[") {
      if (depth === maxDepth) this.#failAt(this.#at - 1, "exceeded max depth");
      return this.#begin(char === "{" ? "object" : "array");
    }
    if (char === '"') this.#string();
    else if (char === "-" || isDigit(char)) this.#number(char);
    else if (Object.hasOwn(literals, char)) this.#literal(literals[char] ?? "");
    else this.#failAt(this.#at - 1, "looking for beginning of value");
    return undefined;
  }

  #begin(type: "object" | "array"): typeof type | undefined {
    this.#skipSpace();
    if (this.#text[this.#at] === (type === "object" ? "}" : "]")) {
      this.#at++;
      return undefined;
    }
    if (type === "object") this.#key();
    return type;
  }

  #key(): void {
    if (this.#nextVisible() !== '"') this.#failAt(this.#at - 1, "looking for beginning of object key string");
    this.#string();
    if (this.#nextVisible() !== ":") this.#failAt(this.#at - 1, "after object key");
  }

  /** Whether the innermost object or list ends behind a value; otherwise another value follows. */
  #ends(type: "object" | "array" | undefined): boolean {
    const char = this.#nextVisible();
    if (char === (type === "object" ? "}" : "]")) return true;
    if (char !== ",")
      this.#failAt(this.#at - 1, type === "object" ? "after object key:value pair" : "after array element");
    if (type === "object") this.#key();
    return false;
  }

  #string(): void {
    for (;;) {
      const char = this.#next();
      if (char === '"') return;
      if (char < " ") this.#failAt(this.#at - 1, "in string literal");
      if (char === "\\") this.#escape();
    }
  }

  #escape(): void {
    const char = this.#next();
    if (escapes.has(char)) return;
    if (char !== "u") this.#failAt(this.#at - 1, "in string escape code");
    for (let i = 0; i < 4; i++)
      if (!/[0-9a-fA-F]/.test(this.#next())) this.#failAt(this.#at - 1, "in \\u hexadecimal character escape");
  }

  #number(first: string): void {
    const leading = first === "-" ? this.#digit("in numeric literal") : first;
    if (leading !== "0") this.#digits();
    if (this.#text[this.#at] === ".") {
      this.#at++;
      this.#digit("after decimal point in numeric literal");
      this.#digits();
    }
    if (!/[eE]/.test(this.#text[this.#at] ?? "")) return;
    this.#at++;
    if (/[+-]/.test(this.#text[this.#at] ?? "")) this.#at++;
    this.#digit("in exponent of numeric literal");
    this.#digits();
  }

  #digit(where: string): string {
    const char = this.#next();
    if (!isDigit(char)) this.#failAt(this.#at - 1, where);
    return char;
  }

  #digits(): void {
    while (isDigit(this.#text[this.#at] ?? "")) this.#at++;
  }

  #literal(word: string): void {
    for (const expected of word.slice(1))
      if (this.#next() !== expected) this.#failAt(this.#at - 1, `in literal ${word} (expecting '${expected}')`);
  }

  #next(): string {
    const char = this.#text[this.#at++];
    if (char === undefined) throw new SyntaxProblem("unexpected end of JSON input");
    return char;
  }

  #nextVisible(): string {
    this.#skipSpace();
    return this.#next();
  }

  #skipSpace(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  #failAt(at: number, where: string): never {
    const char = this.#text[at] ?? "";
    // Go looks at bytes: of a longer character it sees the first
    const byte = String.fromCharCode(Buffer.from(char)[0] ?? 0);
    const shown = byte === "'" ? "'\\''" : byte === '"' ? "'\"'" : quote(byte).replace(/^"(.*)"$/s, "'$1'");
    throw new SyntaxProblem(`invalid character ${shown} ${where}`);
  }
}

const isDigit = (char: string): boolean => char >= "0" && char <= "9" && char.length === 1;
