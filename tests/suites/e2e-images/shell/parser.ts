import { type Token, tokensOf, UnsupportedScript, type Word } from "./script.ts";

/** A sequence of commands. Whether each one runs depends on the result of the one before it. */
export type List = readonly Step[];

interface Step {
  readonly when: "always" | "succeeded" | "failed";
  readonly command: Command;
  /** True for a background command. */
  readonly isAside?: boolean;
}

export type Command =
  | {
      readonly type: "simple";
      readonly words: readonly Word[];
      readonly output?: Word | undefined;
      /** True if the output is appended to its file. */
      readonly appends?: boolean;
    }
  | { readonly type: "pipe"; readonly commands: readonly Command[] }
  | {
      readonly type: "if";
      readonly arms: readonly { readonly test: List; readonly body: List }[];
      readonly otherwise?: List | undefined;
    }
  | { readonly type: "while"; readonly test: List; readonly body: List; readonly until: boolean }
  | { readonly type: "function"; readonly name: string; readonly body: List };

/** @throws {UnsupportedScript} if the script uses syntax that is not simulated */
export function parseScript(script: string): List {
  const parser = new Parser(tokensOf(script));
  const list = parser.list([]);
  parser.expectEnd();
  return list;
}

const closers = new Set(["then", "elif", "else", "fi", "do", "done", "}"]);
const refused = new Set(["for", "case", "function", "select", "!"]);

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  expectEnd(): void {
    if (this.#at < this.#tokens.length) throw new UnsupportedScript("the script goes on after its end");
  }

  /** Parses up to one of the closing words, which the caller consumes. */
  list(until: readonly string[]): List {
    const list: Step[] = [];
    let when: Step["when"] = "always";
    for (;;) {
      const operator = this.#operator();
      if (operator === ";" || operator === "\n") {
        if (when === "always" || operator === ";") when = "always";
        this.#at += 1;
        continue;
      }
      if (operator === "&&" || operator === "||") {
        when = operator === "&&" ? "succeeded" : "failed";
        this.#at += 1;
        continue;
      }
      if (operator !== undefined) throw new UnsupportedScript(`"${operator}" without a command`);
      const word = this.#keyword();
      if (this.#at >= this.#tokens.length || (word !== undefined && until.includes(word))) return list;
      if (word !== undefined && closers.has(word)) throw new UnsupportedScript(`"${word}" out of place`);
      const command = this.#pipe();
      const isAside = this.#operator() === "&";
      if (isAside) this.#at += 1;
      list.push({ when, command, isAside });
      when = "always";
    }
  }

  #pipe(): Command {
    const first = this.#command();
    const commands = [first];
    while (this.#operator() === "|") {
      this.#at += 1;
      commands.push(this.#command());
    }
    return commands.length === 1 ? first : { type: "pipe", commands };
  }

  #command(): Command {
    const token = this.#tokens[this.#at];
    if (token?.type === "function") return this.#function(token.name);
    const word = this.#keyword();
    if (word !== undefined && refused.has(word)) throw new UnsupportedScript(`"${word}" is not simulated`);
    if (word === "if") return this.#if();
    if (word === "while" || word === "until") return this.#while(word === "until");
    return this.#simple();
  }

  #if(): Command {
    const arms: { test: List; body: List }[] = [];
    do {
      this.#at += 1;
      const test = this.list(["then"]);
      this.#take("then");
      arms.push({ test, body: this.list(["elif", "else", "fi"]) });
    } while (this.#keyword() === "elif");
    if (this.#keyword() !== "else") {
      this.#take("fi");
      return { type: "if", arms };
    }
    this.#at += 1;
    const otherwise = this.list(["fi"]);
    this.#take("fi");
    return { type: "if", arms, otherwise };
  }

  #function(name: string): Command {
    this.#at += 1;
    const body = this.list(["}"]);
    this.#take("}");
    return { type: "function", name, body };
  }

  #while(until: boolean): Command {
    this.#at += 1;
    const test = this.list(["do"]);
    this.#take("do");
    const body = this.list(["done"]);
    this.#take("done");
    return { type: "while", test, body, until };
  }

  #simple(): Command {
    const words: Word[] = [];
    let output: Word | undefined;
    let appends = false;
    for (; this.#at < this.#tokens.length; this.#at++) {
      const token = this.#tokens[this.#at];
      if (token?.type === "word") words.push(token.word);
      else if (token?.type === "operator" && token.text.startsWith(">")) {
        const target = this.#tokens[++this.#at];
        if (target?.type !== "word") throw new UnsupportedScript("output to nowhere");
        output = target.word;
        appends = token.text === ">>";
      } else break;
    }
    return { type: "simple", words, ...(output ? { output, appends } : {}) };
  }

  #take(word: string): void {
    if (this.#keyword() !== word) throw new UnsupportedScript(`"${word}" is missing`);
    this.#at += 1;
  }

  #operator(): string | undefined {
    const token = this.#tokens[this.#at];
    return token?.type === "operator" ? token.text : undefined;
  }

  /** Returns the current word, if it is plain text. */
  #keyword(): string | undefined {
    const token = this.#tokens[this.#at];
    if (token?.type !== "word") return undefined;
    const isPlain = token.word.every((part) => part.type === "text" && !part.isQuoted);
    return isPlain ? token.word.map((part) => (part.type === "text" ? part.text : "")).join("") : undefined;
  }
}
