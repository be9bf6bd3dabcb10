import type { Source } from "../text/source.ts";
import { type Token, type TokenType, tokenOrder } from "./lexer.ts";

/** The types that the next token may have. `end` means that the grammar rule may end here. */
export type TokenSet = ReadonlySet<TokenType | "end">;

export const tokens = (...types: (TokenType | "end")[]): TokenSet => new Set(types);

const maxDepth = 250;
const maxRecoveries = 30;
const maxSkippedTokens = 256;

/** Thrown if parsing cannot continue within the current rule. */
class Mismatch extends Error {
  override readonly name = "Mismatch";
}

/** Thrown if parsing cannot continue, even with error recovery. */
export class ParseAborted extends Error {
  override readonly name = "ParseAborted";
  readonly isReported: boolean;

  constructor(message: string, isReported: boolean) {
    super(message);
    this.isReported = isReported;
  }
}

/**
 * The tokens of an expression, with error recovery. A single extra token is dropped, and a single missing token is
 * inserted. After any other error, tokens are skipped up to one that can follow an open grammar rule. This gives the
 * same messages as ANTLR's parsers, with which users of the language are familiar.
 *
 * @see antlr4 runtime DefaultErrorStrategy
 */
export class TokenStream {
  readonly #tokens: readonly Token[];
  readonly #source: Source;
  readonly #report: (at: number, message: string) => void;
  readonly #follows: TokenSet[] = [];
  readonly #depths = new Map<string, number>();
  #position = 0;
  #isRecovering = false;
  #lastError: { position: number; states: Set<string> } = { position: -1, states: new Set() };
  #recoveries = 0;
  #state = "";

  constructor(list: readonly Token[], source: Source, report: (at: number, message: string) => void) {
    this.#tokens = list;
    this.#source = source;
    this.#report = report;
  }

  peek(ahead = 0): Token {
    const found = this.#tokens[Math.min(this.#position + ahead, this.#tokens.length - 1)];
    if (!found) throw new Error("a token stream must contain at least its end token");
    return found;
  }

  /** Runs one grammar rule. Returns `undefined` if the rule could not be completed. */
  rule<T>(name: string, follow: TokenSet, body: () => T): T | undefined {
    const leave = this.enter(name);
    this.#follows.push(follow);
    try {
      return body();
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      if (error.message !== "") this.#reportOnce(error.message);
      this.#recover();
      return undefined;
    } finally {
      this.#follows.pop();
      leave();
    }
  }

  /** Adds a nesting level for a rule. The returned function removes that level again. */
  enter(name: string): () => void {
    const depth = (this.#depths.get(name) ?? 0) + 1;
    if (depth > maxDepth) throw new ParseAborted(`expression recursion limit exceeded: ${maxDepth}`, false);
    this.#depths.set(name, depth);
    return () => this.#depths.set(name, (this.#depths.get(name) ?? 1) - 1);
  }

  /** Synchronizes before a choice between alternatives: if the next token is not one of `next`, it is dropped, or the rule fails. */
  sync(state: string, next: TokenSet): void {
    this.#state = state;
    if (this.#isRecovering || next.has("end") || next.has(this.peek().type)) return;
    if (this.#dropOne(next)) return;
    this.#mismatch(next);
  }

  /** Synchronizes before another iteration of a loop: skips tokens that can neither start an iteration nor follow the loop. */
  syncLoop(state: string, next: TokenSet): void {
    this.#state = state;
    if (this.#isRecovering || next.has("end") || next.has(this.peek().type)) return;
    this.#reportUnwanted(next);
    this.#skipTo(new Set([...this.#expected(next), ...this.#recoverySet()]));
  }

  /** Consumes a token of the given type. `after` contains the types of tokens that may follow it. */
  match(type: TokenType, after: TokenSet): Token | undefined {
    this.#state = type;
    const token = this.peek();
    if (token.type === type) return this.#accept();
    this.#countRecovery();
    const next = tokens(type);
    if (this.#dropOne(next)) return this.#accept();
    if (this.#expected(after).has(token.type)) {
      this.#reportOnce(`missing ${listed(this.#expected(next))} at ${shown(token)}`);
      return undefined;
    }
    return this.#mismatch(next);
  }

  /** Reports an error: no alternative matches the tokens up to the one at distance `ahead`. */
  noAlternative(ahead: number): never {
    const [first, last] = [this.peek(), this.peek(ahead)];
    const input = first.type === "<EOF>" ? "<EOF>" : this.#source.slice(first.start, last.end);
    const reserved = /^.(true|false|null)$/.exec(input)?.[1];
    // the error is reported at the token that did not match
    const at = this.peek(ahead).start;
    const message =
      reserved === undefined
        ? `no viable alternative at input '${escaped(input)}'`
        : `mismatched input '${reserved}' expecting IDENTIFIER`;
    this.#reportOnce(message, at);
    throw new Mismatch("");
  }

  #accept(): Token {
    const token = this.peek();
    this.#isRecovering = false;
    this.#lastError = { position: -1, states: new Set() };
    this.#consume();
    return token;
  }

  #consume(): void {
    if (this.#position < this.#tokens.length - 1) this.#position++;
  }

  #mismatch(next: TokenSet): never {
    throw new Mismatch(`mismatched input ${shown(this.peek())} expecting ${listed(this.#expected(next))}`);
  }

  #dropOne(next: TokenSet): boolean {
    if (!this.#expected(next).has(this.peek(1).type) || this.peek().type === "<EOF>") return false;
    this.#reportUnwanted(next);
    this.#consume();
    this.#isRecovering = false;
    return true;
  }

  #reportUnwanted(next: TokenSet): void {
    this.#reportOnce(`extraneous input ${shown(this.peek())} expecting ${listed(this.#expected(next))}`);
  }

  #reportOnce(message: string, at = this.peek().start): void {
    if (this.#isRecovering) return;
    this.#isRecovering = true;
    this.#report(at, message);
  }

  #countRecovery(): void {
    if (this.#recoveries === maxRecoveries) {
      const message = `error recovery attempt limit exceeded: ${maxRecoveries}`;
      this.#report(this.peek().start, message);
      throw new ParseAborted(message, true);
    }
    this.#recoveries++;
  }

  #recover(): void {
    this.#countRecovery();
    const { position, states } = this.#lastError;
    if (position === this.#position && states.has(this.#state)) this.#consume();
    if (position !== this.#position) this.#lastError = { position: this.#position, states: new Set() };
    this.#lastError.states.add(this.#state);
    this.#skipTo(this.#recoverySet());
  }

  #skipTo(set: ReadonlySet<TokenType | "end">): void {
    let skipped = 0;
    while (this.peek().type !== "<EOF>" && !set.has(this.peek().type)) {
      if (++skipped > maxSkippedTokens)
        throw new ParseAborted(`error recovery token lookahead limit exceeded: ${maxSkippedTokens}`, false);
      this.#consume();
    }
  }

  #recoverySet(): Set<TokenType | "end"> {
    const all = new Set(this.#follows.flatMap((follow) => [...follow]));
    all.delete("end");
    return all;
  }

  /** Returns the possible next tokens, including tokens that may follow if the open grammar rules end at this point. */
  #expected(next: TokenSet): Set<TokenType | "end"> {
    const all = new Set(next);
    for (let i = this.#follows.length - 1; all.has("end") && i >= 0; i--) {
      all.delete("end");
      for (const type of this.#follows[i] ?? []) all.add(type);
    }
    all.delete("end");
    return all;
  }
}

const escaped = (text: string): string => text.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");

const shown = ({ text }: Token): string => `'${escaped(text)}'`;

function listed(set: ReadonlySet<TokenType | "end">): string {
  const names = tokenOrder.filter((type) => set.has(type));
  return names.length === 1 ? (names[0] ?? "") : `{${names.join(", ")}}`;
}
