import { JsonSyntaxError } from "./syntax-error.ts";

/** A JSON value in a body. Objects do not contain members that are `null`, because handlers treat these as absent. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [key: string]: Json | undefined;
}

const maxDepth = 31;
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  n: "\n",
  r: "\r",
  t: "\t",
  f: "\f",
};

/**
 * Parses the first JSON value in a string as LuCI's parser does (json-c in non-strict mode). Accepts comments, single
 * quotes, trailing commas, and literals in any letter case. Ignores text after the value, but requires a character
 * after a bare number or literal.
 *
 * @param text text to parse; with `bytes`, each character is one byte, and `\u` escapes become UTF-8 bytes
 * @throws {JsonSyntaxError} with json-c's message
 */
export function readJson(text: string, options: { readonly bytes?: boolean } = {}): Json {
  return new Tokener(text, options.bytes ?? false).value(0);
}

class Tokener {
  readonly #text: string;
  readonly #bytes: boolean;
  #at = 0;

  constructor(text: string, bytes: boolean) {
    this.#text = text;
    this.#bytes = bytes;
  }

  value(depth: number): Json {
    const char = this.#nextToken();
    if (char === "{" || char === "[") {
      if (depth >= maxDepth) throw new JsonSyntaxError("nesting too deep");
      this.#at++;
      return char === "{" ? this.#object(depth) : this.#array(depth);
    }
    if (char === '"' || char === "'") return this.#string();
    if (/[nN]/.test(char)) return this.#literal("null", "null expected", null);
    if (/[tT]/.test(char)) return this.#literal("true", "boolean expected", true);
    if (/[fF]/.test(char)) return this.#literal("false", "boolean expected", false);
    if (/[-\d]/.test(char)) return this.#number(depth);
    throw new JsonSyntaxError("unexpected character");
  }

  #object(depth: number): JsonObject {
    const members: [string, Json][] = [];
    for (;;) {
      const quote = this.#nextToken();
      if (quote === "}") break;
      if (quote !== '"' && quote !== "'") throw new JsonSyntaxError("quoted object property name expected");
      const key = this.#string();
      if (this.#nextToken() !== ":") throw new JsonSyntaxError("object property name separator ':' expected");
      this.#at++;
      members.push([key, this.value(depth + 1)]);
      const separator = this.#nextToken();
      if (separator === "}") break;
      if (separator !== ",") throw new JsonSyntaxError("object value separator ',' expected");
      this.#at++;
    }
    this.#at++;
    return Object.fromEntries(new Map(members).entries().filter(([, value]) => value !== null));
  }

  #array(depth: number): readonly Json[] {
    const elements: Json[] = [];
    for (;;) {
      if (this.#nextToken() === "]") break;
      elements.push(this.value(depth + 1));
      const separator = this.#nextToken();
      if (separator === "]") break;
      if (separator !== ",") throw new JsonSyntaxError("array value separator ',' expected");
      this.#at++;
    }
    this.#at++;
    return elements;
  }

  #string(): string {
    const quote = this.#take();
    let value = "";
    for (let char = this.#take(); char !== quote; char = this.#take()) {
      value += char === "\\" ? this.#escape() : char;
    }
    return value;
  }

  #escape(): string {
    const char = this.#take();
    if (char !== "u") {
      const plain = escapes[char];
      if (plain === undefined) throw new JsonSyntaxError("invalid string sequence");
      return plain;
    }
    let digits = "";
    for (let count = 0; count < 4; count++) digits += this.#take();
    if (!/^[\da-fA-F]{4}$/.test(digits)) throw new JsonSyntaxError("invalid string sequence");
    const decoded = String.fromCharCode(Number.parseInt(digits, 16));
    return this.#bytes ? Buffer.from(decoded).toString("latin1") : decoded;
  }

  #literal<T extends Json>(word: string, complaint: string, value: T): T {
    for (const expected of word) {
      if (this.#take().toLowerCase() !== expected) throw new JsonSyntaxError(complaint);
    }
    this.#peek();
    return value;
  }

  #number(depth: number): number {
    let digits = "";
    while (/[-+.\deE]/.test(this.#peek())) digits += this.#take();
    const value = Number(digits);
    if (Number.isNaN(value) || (depth > 0 && !/[,\]}/\s]/.test(this.#peek()))) {
      throw new JsonSyntaxError("number expected");
    }
    return value;
  }

  /** Skips blanks and comments, and returns the next character without consuming it. */
  #nextToken(): string {
    for (;;) {
      const char = this.#peek();
      if (char === "/") this.#comment();
      else if (/[\t-\r ]/.test(char)) this.#at++;
      else return char;
    }
  }

  #comment(): void {
    this.#at++;
    const kind = this.#take();
    if (kind !== "*" && kind !== "/") throw new JsonSyntaxError("expected comment");
    const end = this.#text.indexOf(kind === "*" ? "*/" : "\n", this.#at);
    if (end < 0) throw new JsonSyntaxError("unexpected end of data");
    this.#at = end + (kind === "*" ? 2 : 1);
  }

  #take(): string {
    const char = this.#peek();
    this.#at++;
    return char;
  }

  #peek(): string {
    const char = this.#text[this.#at];
    if (char === undefined) throw new JsonSyntaxError("unexpected end of data");
    return char;
  }
}
