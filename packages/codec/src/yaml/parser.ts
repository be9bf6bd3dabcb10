import { YamlError } from "./cursor.ts";
import { Scanner } from "./scanner.ts";
import type { Tag } from "./tag.ts";
import type { Mark, Token } from "./token.ts";

/** Properties that precede a value: its anchor and its tag. */
export interface Properties {
  readonly anchor?: string | undefined;
  /** Tag in its full form, such as `tag:yaml.org,2002:int`; absent if the text contains no tag. */
  readonly tag?: string | undefined;
  /** Line number, counted from 0. */
  readonly line: number;
}

/** Receives the parts of a document in the order in which they are parsed. */
export interface Builder {
  scalar(text: string, isPlain: boolean, properties: Properties): void;
  alias(name: string, line: number): void;
  begin(type: "map" | "list", properties: Properties): void;
  end(): void;
}

type State = () => void;
type TokenType = Token["type"];

const coreTags = "tag:yaml.org,2002:";

/**
 * Parses the first document of a string and ignores the rest. The parser is not recursive, so nesting cannot overflow the stack.
 *
 * @see go.yaml.in/yaml/v2 parserc.go
 */
export class Parser {
  readonly #scanner: Scanner;
  readonly #builder: Builder;
  readonly #tagPrefixes = new Map<string, string>();
  /** States in which parsing continues once the current value has ended. The next state is the last element. */
  readonly #states: State[] = [];

  /** Creates a parser for a string. @throws {YamlError} if the string contains characters that YAML does not permit */
  constructor(text: string, builder: Builder) {
    this.#scanner = new Scanner(text);
    this.#builder = builder;
  }

  /** Parses the document. @returns true if the text contains a document. @throws {YamlError} if the document is not valid */
  run(): boolean {
    if (this.#next === "stream end") return false;
    this.#begin();
    for (let state = this.#states.pop(); state; state = this.#states.pop()) state();
    this.#scanner.peek(); // upstream reads the token that ends the document
    return true;
  }

  get #next(): TokenType {
    return this.#scanner.peek().type;
  }

  #isNext(...types: readonly TokenType[]): boolean {
    return types.includes(this.#next);
  }

  /** Skips the next token if it has the given type. */
  #skip(type: Mark): boolean {
    if (this.#next !== type) return false;
    this.#scanner.take();
    return true;
  }

  #error(problem: string, line = this.#scanner.peek().line): YamlError {
    return new YamlError(line === 0 ? problem : `line ${line}: ${problem}`);
  }

  #begin(): void {
    let version: string | undefined;
    let isExplicit = false;
    for (let token = this.#scanner.peek(); token.type === "directive"; token = this.#scanner.peek()) {
      isExplicit = true;
      const { directive } = token;
      if (directive.kind === "tag") {
        if (this.#tagPrefixes.has(directive.handle)) throw this.#error("found duplicate %TAG directive");
        this.#tagPrefixes.set(directive.handle, directive.prefix);
      } else {
        if (version !== undefined) throw this.#error("found duplicate %YAML directive");
        version = directive.version;
        if (version !== "1.1") throw this.#error("found incompatible YAML document");
      }
      this.#scanner.take();
    }
    if (!this.#tagPrefixes.has("!")) this.#tagPrefixes.set("!", "!");
    if (!this.#tagPrefixes.has("!!")) this.#tagPrefixes.set("!!", coreTags);
    if (this.#skip("document start")) {
      if (this.#isNext("directive", "document start", "document end", "stream end")) this.#empty();
      else this.#states.push(this.#blockNode);
    } else if (isExplicit) throw this.#error("did not find expected <document start>");
    else this.#states.push(this.#blockNode);
  }

  #empty(): void {
    this.#builder.scalar("", true, { line: this.#scanner.peek().line });
  }

  readonly #blockNode: State = () => this.#node("block");

  /** Parses a value. Within a mapping, a list needs no indentation. */
  #node(context: "block" | "member" | "flow"): void {
    const first = this.#scanner.peek();
    if (first.type === "alias") {
      this.#scanner.take();
      this.#builder.alias(first.name, first.line);
      return;
    }
    const properties = this.#properties(first);
    const token = this.#scanner.peek();
    if (context === "member" && token.type === "entry") {
      this.#collection("list", this.#looseEntry, properties);
      return;
    }
    switch (token.type) {
      case "scalar":
        this.#scanner.take();
        this.#builder.scalar(token.text, token.isPlain, properties);
        return;
      case "flow sequence":
        this.#scanner.take();
        this.#collection("list", this.#firstFlowEntry, properties);
        return;
      case "flow mapping":
        this.#scanner.take();
        this.#collection("map", this.#firstFlowMember, properties);
        return;
      case "block sequence":
        if (context === "flow") break;
        this.#scanner.take();
        this.#collection("list", this.#entry, properties);
        return;
      case "block mapping":
        if (context === "flow") break;
        this.#scanner.take();
        this.#collection("map", this.#member, properties);
        return;
    }
    if (properties.anchor === undefined && properties.tag === undefined)
      throw this.#error("did not find expected node content");
    this.#builder.scalar("", properties.tag === undefined, properties);
  }

  #collection(type: "map" | "list", state: State, properties: Properties): void {
    this.#builder.begin(type, properties);
    this.#states.push(state);
  }

  #properties(first: Token): Properties {
    const { line } = first;
    if (first.type !== "anchor" && first.type !== "tag") return { line };
    let anchor: string | undefined;
    let tag: string | undefined;
    for (let token: Token = first; token.type === "anchor" || token.type === "tag"; token = this.#scanner.peek()) {
      if (token.type === "tag") {
        if (tag !== undefined) break;
        tag = this.#written(token.tag, token.line);
      } else if (anchor !== undefined) break;
      else anchor = token.name;
      this.#scanner.take();
    }
    return { line, ...(anchor === undefined ? {} : { anchor }), ...(tag === undefined ? {} : { tag }) };
  }

  #written({ handle, suffix }: Tag, line: number): string {
    if (handle === "") return suffix;
    const prefix = this.#tagPrefixes.get(handle);
    if (prefix === undefined) throw this.#error("found undefined tag handle", line);
    return prefix + suffix;
  }

  /** Parses a value, or adds an empty one if one of the given tokens follows. Parsing then continues in the state `after`. */
  #nodeOrEmpty(context: "block" | "member" | "flow", after: State, ...instead: readonly TokenType[]): void {
    this.#states.push(after);
    if (this.#isNext(...instead)) this.#empty();
    else this.#node(context);
  }

  readonly #entry: State = () => {
    if (this.#skip("entry")) return this.#nodeOrEmpty("block", this.#entry, "entry", "block end");
    if (!this.#skip("block end")) throw this.#error("did not find expected '-' indicator");
    this.#builder.end();
  };

  /** Parses an entry of a list that is not indented further than the mapping it belongs to. */
  readonly #looseEntry: State = () => {
    if (this.#skip("entry")) return this.#nodeOrEmpty("block", this.#looseEntry, "entry", "key", "value", "block end");
    this.#builder.end();
  };

  readonly #member: State = () => {
    if (this.#skip("key")) return this.#nodeOrEmpty("member", this.#memberValue, "key", "value", "block end");
    if (!this.#skip("block end")) throw this.#error("did not find expected key");
    this.#builder.end();
  };

  readonly #memberValue: State = () => {
    if (this.#skip("value")) return this.#nodeOrEmpty("member", this.#member, "key", "value", "block end");
    this.#states.push(this.#member);
    this.#empty();
  };

  readonly #firstFlowEntry: State = () => this.#flowEntry();

  readonly #nextFlowEntry: State = () => {
    if (this.#next !== "flow sequence end" && !this.#skip("flow entry"))
      throw this.#error("did not find expected ',' or ']'");
    this.#flowEntry();
  };

  #flowEntry(): void {
    if (this.#skip("flow sequence end")) {
      this.#builder.end();
      return;
    }
    const { line } = this.#scanner.peek();
    this.#states.push(this.#nextFlowEntry);
    if (!this.#skip("key")) {
      this.#node("flow");
      return;
    }
    this.#builder.begin("map", { line });
    if (this.#isNext("flow entry", "flow sequence end", "value")) {
      // upstream skips this token regardless of its type
      this.#scanner.take();
      this.#states.push(this.#pairValue);
      this.#empty();
    } else this.#nodeOrEmpty("flow", this.#pairValue);
  }

  /** Parses the value of a mapping with a single entry, which needs no braces within a list. */
  readonly #pairValue: State = () => {
    if (this.#skip("value") && !this.#isNext("flow entry", "flow sequence end"))
      return this.#nodeOrEmpty("flow", this.#pairEnd);
    this.#states.push(this.#pairEnd);
    this.#empty();
  };

  readonly #pairEnd: State = () => this.#builder.end();

  readonly #firstFlowMember: State = () => this.#flowMember();

  readonly #nextFlowMember: State = () => {
    if (this.#next !== "flow mapping end" && !this.#skip("flow entry"))
      throw this.#error("did not find expected ',' or '}'");
    this.#flowMember();
  };

  #flowMember(): void {
    if (this.#skip("flow mapping end")) {
      this.#builder.end();
      return;
    }
    if (this.#skip("key")) this.#nodeOrEmpty("flow", this.#flowValue, "value", "flow entry", "flow mapping end");
    else this.#nodeOrEmpty("flow", this.#noFlowValue);
  }

  readonly #flowValue: State = () => {
    if (this.#skip("value")) return this.#nodeOrEmpty("flow", this.#nextFlowMember, "flow entry", "flow mapping end");
    this.#states.push(this.#nextFlowMember);
    this.#empty();
  };

  readonly #noFlowValue: State = () => {
    this.#states.push(this.#nextFlowMember);
    this.#empty();
  };
}
