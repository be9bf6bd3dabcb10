import { scanBlockScalar } from "./block-scalar.ts";
import { Cursor, dash, dot, end, isBlank, isBlankOrEnd, isBreak, isWord, space, tab } from "./cursor.ts";
import { scanPlainScalar } from "./plain-scalar.ts";
import { scanQuotedScalar } from "./quoted-scalar.ts";
import { scanDirective, scanTag } from "./tag.ts";
import type { Mark, Token } from "./token.ts";

/** Maximum nesting depth of collections, both in brackets and by indentation, as in upstream. */
const maxDepth = 10_000;
/** Maximum number of characters in a key without `?`. */
const maxKey = 1_024;
const byteOrderMark = 0xfeff;
/** Characters other than white space that may follow an anchor's name. */
const behindName = new Set([..."?:,]}%@`"].map((char) => char.charCodeAt(0)));
/** Characters that cannot start an unquoted scalar. */
const indicators = new Set([..."-?:,[]{}#&*!|>'\"%@`"].map((char) => char.charCodeAt(0)));

/** A position where a key may have started. Only a `:` after it confirms that this is a key. */
interface PossibleKey {
  /** Number of tokens in the text before this position. */
  readonly number: number;
  readonly at: number;
  readonly line: number;
  readonly column: number;
  /** True if only a key may appear at this position. */
  readonly isRequired: boolean;
}

/**
 * Splits a YAML text into tokens in one pass, examining each character only a limited number of times.
 *
 * @see go.yaml.in/yaml/v2 scannerc.go
 */
export class Scanner {
  readonly #cursor: Cursor;
  #queue: Token[] = [];
  #head = 0;
  /** Number of tokens that have been consumed. */
  #taken = 0;
  #indent = -1;
  readonly #indents: number[] = [];
  /** Possible keys: one entry for each open flow collection, and one for the surrounding block. */
  readonly #keys: (PossibleKey | undefined)[] = [undefined];
  #mayBeginKey = true;

  /** Creates a scanner for a string. @throws {YamlError} if the string contains characters that YAML does not permit */
  constructor(text: string) {
    this.#cursor = new Cursor(text);
  }

  /**
   * Returns the next token without consuming it. Must not be called after the end of the stream. @throws {YamlError} if the text is not
   * valid
   */
  peek(): Token {
    for (;;) {
      const token = this.#queue[this.#head];
      if (token && !this.#isPossibleKey(this.#taken)) return token;
      this.#fetch();
    }
  }

  /** Consumes the next token. @throws {YamlError} if the text is not valid */
  take(): Token {
    const token = this.peek();
    this.#head++;
    this.#taken++;
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    }
    return token;
  }

  get #isInFlow(): boolean {
    return this.#keys.length > 1;
  }

  /** Reports whether a key may have started at the token with the given number, so that tokens may have to be inserted before it. */
  #isPossibleKey(number: number): boolean {
    // keys of outer collections precede those of inner ones
    for (let level = this.#firstKey; level < this.#keys.length; level++) {
      const key = this.#keys[level];
      if (!key) continue;
      if (key.number > number) break;
      if (!this.#stillPossible(level)) continue;
      if (key.number === number) return true;
    }
    return false;
  }

  /** First level at which there may be a possible key. */
  get #firstKey(): number {
    while (this.#firstOpen < this.#keys.length - 1 && !this.#keys[this.#firstOpen]) this.#firstOpen++;
    return this.#firstOpen;
  }

  #firstOpen = 0;

  /** Reports whether the key at a level is still possible. Drops the key otherwise. */
  #stillPossible(level: number): boolean {
    const key = this.#keys[level];
    if (!key) return false;
    if (key.line === this.#cursor.line && key.at + maxKey >= this.#cursor.at) return true;
    if (key.isRequired) throw this.#cursor.error("could not find expected ':'");
    this.#keys[level] = undefined;
    return false;
  }

  #saveKey(): void {
    if (!this.#mayBeginKey) return;
    this.#dropKey();
    const { at, line, column } = this.#cursor;
    const level = this.#keys.length - 1;
    this.#keys[level] = {
      number: this.#taken + this.#queue.length - this.#head,
      at,
      line,
      column,
      isRequired: !this.#isInFlow && this.#indent === column,
    };
    this.#firstOpen = Math.min(this.#firstOpen, level);
  }

  #dropKey(): void {
    const level = this.#keys.length - 1;
    if (this.#keys[level]?.isRequired) throw this.#cursor.error("could not find expected ':'");
    this.#keys[level] = undefined;
  }

  #push(token: Token): void {
    this.#queue.push(token);
  }

  /** Consumes the given number of characters as a token of the given type. */
  #mark(type: Mark, length: number): void {
    this.#push({ type, line: this.#cursor.line });
    this.#cursor.at += length;
  }

  /** Starts a block collection if its column is to the right of the enclosing one. The start token is inserted at `before`, or appended. */
  #beginBlock(type: "block sequence" | "block mapping", column: number, line: number, before?: number): void {
    if (this.#isInFlow || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    if (this.#indents.length > maxDepth) throw this.#cursor.error(`exceeded max depth of ${maxDepth}`);
    this.#insert({ type, line }, before);
  }

  #insert(token: Token, before: number | undefined): void {
    if (before === undefined) this.#push(token);
    else this.#queue.splice(this.#head + before - this.#taken, 0, token);
  }

  /** Ends the block collections that start to the right of a column. */
  #endBlocks(column: number): void {
    if (this.#isInFlow) return;
    while (this.#indent > column) {
      this.#push({ type: "block end", line: this.#cursor.line });
      this.#indent = this.#indents.pop() ?? -1;
    }
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#skipToToken();
    this.#endBlocks(cursor.column);
    const code = cursor.code();
    if (code === end) {
      this.#endStream();
      return;
    }
    if (cursor.column === 0 && code === 0x25) {
      this.#directive();
      return;
    }
    if (cursor.isAtIndicator(dash)) {
      this.#document("document start");
      return;
    }
    if (cursor.isAtIndicator(dot)) {
      this.#document("document end");
      return;
    }
    switch (cursor.text[cursor.at]) {
      case "[":
        this.#beginFlow("flow sequence");
        return;
      case "{":
        this.#beginFlow("flow mapping");
        return;
      case "]":
        this.#endFlow("flow sequence end");
        return;
      case "}":
        this.#endFlow("flow mapping end");
        return;
      case ",":
        this.#dropKey();
        this.#mayBeginKey = true;
        this.#mark("flow entry", 1);
        return;
      case "-":
        if (isBlankOrEnd(cursor.code(1))) {
          this.#entry();
          return;
        }
        break;
      case "?":
        if (this.#isInFlow || isBlankOrEnd(cursor.code(1))) {
          this.#key();
          return;
        }
        break;
      case ":":
        if (this.#isInFlow || isBlankOrEnd(cursor.code(1))) {
          this.#value();
          return;
        }
        break;
      case "*":
        this.#name("alias");
        return;
      case "&":
        this.#name("anchor");
        return;
      case "!":
        this.#tag();
        return;
      case "|":
      case ">":
        if (!this.#isInFlow) {
          this.#blockScalar();
          return;
        }
        break;
      case "'":
      case '"':
        this.#quotedScalar();
        return;
    }
    this.#plainScalar(code);
    return;
  }

  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      if (cursor.column === 0 && cursor.code() === byteOrderMark) cursor.at++;
      const mayBeTab = this.#isInFlow || !this.#mayBeginKey;
      for (let code = cursor.code(); code === space || (mayBeTab && code === tab); code = cursor.code()) cursor.at++;
      cursor.skipComment();
      if (!isBreak(cursor.code())) return;
      cursor.takeBreak();
      if (!this.#isInFlow) this.#mayBeginKey = true;
    }
  }

  #endStream(): void {
    this.#cursor.finishLine();
    this.#endBlocks(-1);
    this.#dropKey();
    this.#mayBeginKey = false;
    this.#push({ type: "stream end", line: this.#cursor.line });
  }

  #directive(): void {
    this.#endBlocks(-1);
    this.#dropKey();
    this.#mayBeginKey = false;
    const { line } = this.#cursor;
    this.#push({ type: "directive", line, directive: scanDirective(this.#cursor) });
  }

  #document(type: "document start" | "document end"): void {
    this.#endBlocks(-1);
    this.#dropKey();
    this.#mayBeginKey = false;
    this.#mark(type, 3);
  }

  #beginFlow(type: "flow sequence" | "flow mapping"): void {
    this.#saveKey();
    this.#keys.push(undefined);
    if (this.#keys.length - 1 > maxDepth) throw this.#cursor.error(`exceeded max depth of ${maxDepth}`);
    this.#mayBeginKey = true;
    this.#mark(type, 1);
  }

  #endFlow(type: "flow sequence end" | "flow mapping end"): void {
    this.#dropKey();
    if (this.#isInFlow) this.#keys.pop();
    this.#firstOpen = Math.min(this.#firstOpen, this.#keys.length - 1);
    this.#mayBeginKey = false;
    this.#mark(type, 1);
  }

  #entry(): void {
    const { column, line } = this.#cursor;
    if (!this.#isInFlow) {
      if (!this.#mayBeginKey) throw this.#cursor.error("block sequence entries are not allowed in this context");
      this.#beginBlock("block sequence", column, line);
    }
    this.#dropKey();
    this.#mayBeginKey = true;
    this.#mark("entry", 1);
  }

  #key(): void {
    const { column, line } = this.#cursor;
    if (!this.#isInFlow) {
      if (!this.#mayBeginKey) throw this.#cursor.error("mapping keys are not allowed in this context");
      this.#beginBlock("block mapping", column, line);
    }
    this.#dropKey();
    this.#mayBeginKey = !this.#isInFlow;
    this.#mark("key", 1);
  }

  #value(): void {
    const level = this.#keys.length - 1;
    const key = this.#stillPossible(level) ? this.#keys[level] : undefined;
    if (key) {
      this.#insert({ type: "key", line: key.line }, key.number);
      this.#beginBlock("block mapping", key.column, key.line, key.number);
      this.#keys[level] = undefined;
      this.#mayBeginKey = false;
    } else {
      const { column, line } = this.#cursor;
      if (!this.#isInFlow) {
        if (!this.#mayBeginKey) throw this.#cursor.error("mapping values are not allowed in this context");
        this.#beginBlock("block mapping", column, line);
      }
      this.#mayBeginKey = !this.#isInFlow;
    }
    this.#mark("value", 1);
  }

  #name(type: "alias" | "anchor"): void {
    this.#saveKey();
    this.#mayBeginKey = false;
    const cursor = this.#cursor;
    cursor.at++;
    const name = cursor.takeWhile(isWord);
    if (name === "" || !(isBlankOrEnd(cursor.code()) || behindName.has(cursor.code())))
      throw cursor.error("did not find expected alphabetic or numeric character");
    this.#push({ type, name, line: cursor.line });
  }

  #tag(): void {
    this.#saveKey();
    this.#mayBeginKey = false;
    this.#push({ type: "tag", tag: scanTag(this.#cursor), line: this.#cursor.line });
  }

  #blockScalar(): void {
    this.#dropKey();
    this.#mayBeginKey = true;
    const { line } = this.#cursor;
    this.#push({ type: "scalar", text: scanBlockScalar(this.#cursor, this.#indent), isPlain: false, line });
  }

  #quotedScalar(): void {
    this.#saveKey();
    this.#mayBeginKey = false;
    const { line } = this.#cursor;
    this.#push({ type: "scalar", text: scanQuotedScalar(this.#cursor), isPlain: false, line });
  }

  #plainScalar(code: number): void {
    const cursor = this.#cursor;
    const next = cursor.code(1);
    const isPlain =
      !(isBlankOrEnd(code) || indicators.has(code)) ||
      (code === 0x2d && !isBlank(next)) ||
      (!this.#isInFlow && (code === 0x3f || code === 0x3a) && !isBlankOrEnd(next));
    if (!isPlain) throw cursor.error("found character that cannot start any token");
    this.#saveKey();
    this.#mayBeginKey = false;
    const { line } = cursor;
    const { text, endsLine } = scanPlainScalar(cursor, this.#indent + 1, this.#isInFlow);
    this.#push({ type: "scalar", text, isPlain: true, line });
    if (endsLine) this.#mayBeginKey = true;
  }
}
