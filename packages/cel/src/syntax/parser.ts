import { type Diagnostics, noLocation } from "../text/source.ts";
import { AggregateParser, operandStart, start } from "./aggregate-parser.ts";
import type { Expression } from "./ast.ts";
import { operators } from "./ast.ts";
import { ExpressionBuilder } from "./expression-builder.ts";
import { type Token, type TokenType, tokenize } from "./lexer.ts";
import { parseLiteral } from "./literals.ts";
import { expandMacro, type Macro } from "./macros.ts";
import { products, relations, sums } from "./operator-symbols.ts";
import { ParseAborted, type TokenSet, TokenStream, tokens } from "./token-stream.ts";

const maxCodePoints = 100_000;
const afterRelation = tokens("'=='", "'!='", "'in'", "'<'", "'<='", "'>='", "'>'", "end");
const afterCalculation = tokens("'-'", "'+'", "'*'", "'/'", "'%'", "end");
const atEnd = tokens("end");

const reservedWords = new Set(
  "as break const continue else false for function if import in let loop package namespace null return true var void while".split(
    " ",
  ),
);

/**
 * Parses an expression and expands its macros. Returns `undefined` and reports errors to `diagnostics` if the text is not valid.
 *
 * @see cel-go parser/parser.go
 */
export function parseExpression(diagnostics: Diagnostics, macros: ReadonlyMap<string, Macro>): Expression | undefined {
  const { source } = diagnostics;
  if (source.length > maxCodePoints) {
    diagnostics.report(
      noLocation,
      `expression code point size exceeds limit: size: ${source.length}, limit ${maxCodePoints}`,
    );
    return undefined;
  }
  const report = (at: number, message: string): void => diagnostics.report(at, `Syntax error: ${message}`);
  const parser = new Parser(new TokenStream(tokenize(source, report), source, report), macros);
  try {
    const parsed = parser.parse();
    for (const { at, message } of parser.builder.errors) diagnostics.report(at, message);
    return diagnostics.count === 0 ? parsed : undefined;
  } catch (error) {
    if (!(error instanceof ParseAborted)) throw error;
    if (!error.isReported) diagnostics.report(noLocation, error.message);
    return undefined;
  }
}

class Parser {
  readonly builder = new ExpressionBuilder();
  readonly #stream: TokenStream;
  readonly #macros: ReadonlyMap<string, Macro>;
  readonly #aggregates: AggregateParser;

  constructor(stream: TokenStream, macros: ReadonlyMap<string, Macro>) {
    this.#stream = stream;
    this.#macros = macros;
    this.#aggregates = new AggregateParser(stream, this.builder, (follow) => this.#expression(follow));
  }

  parse(): Expression | undefined {
    return this.#stream.rule("start", atEnd, () => {
      const expression = this.#expression(tokens("<EOF>"));
      this.#stream.match("<EOF>", atEnd);
      return expression;
    });
  }

  get #next(): TokenType {
    return this.#stream.peek().type;
  }

  #rule(name: string, follow: TokenSet, body: () => Expression): Expression {
    return this.#stream.rule(name, follow, body) ?? this.builder.missing(this.#stream.peek().start);
  }

  #expression(follow: TokenSet): Expression {
    return this.#rule("expr", follow, () => {
      const condition = this.#or(tokens("'?'", "end"));
      this.#stream.sync("conditional", tokens("'?'", "end"));
      if (this.#next !== "'?'") return condition;
      const { start: at } = this.#stream.peek();
      this.#stream.match("'?'", start);
      const yes = this.#or(tokens("':'"));
      this.#stream.match("':'", start);
      return this.#call(at, operators.conditional, [condition, yes, this.#expression(atEnd)]);
    });
  }

  #or(follow: TokenSet): Expression {
    return this.#logical("conditionalOr", "'||'", operators.or, follow, (inner) => this.#and(inner));
  }

  #and(follow: TokenSet): Expression {
    return this.#logical("conditionalAnd", "'&&'", operators.and, follow, (inner) => this.#relation(inner));
  }

  #logical(
    name: string,
    symbol: TokenType,
    operator: string,
    follow: TokenSet,
    operand: (follow: TokenSet) => Expression,
  ): Expression {
    return this.#rule(name, follow, () => {
      const inner = tokens(symbol, "end");
      const terms = [operand(inner)];
      const places: number[] = [];
      while (this.#next === symbol) {
        places.push(this.#stream.peek().start);
        this.#stream.match(symbol, start);
        terms.push(operand(inner));
      }
      return this.builder.balanced(operator, terms, places);
    });
  }

  #relation(follow: TokenSet): Expression {
    return this.#binary("relation", follow, relations, (inner) => this.#sum(inner), afterRelation);
  }

  #sum(follow: TokenSet): Expression {
    return this.#binary("calc", follow, sums, (inner) => this.#product(inner), afterCalculation);
  }

  #product(follow: TokenSet): Expression {
    return this.#binary("calc", follow, products, (inner) => this.#unary(inner), afterCalculation);
  }

  /** Parses a chain of operators with the same precedence, from left to right. */
  #binary(
    name: string,
    follow: TokenSet,
    symbols: Partial<Record<TokenType, string>>,
    operand: (follow: TokenSet) => Expression,
    inner: TokenSet,
  ): Expression {
    return this.#rule(name, follow, () => {
      const leaves: (() => void)[] = [];
      let left = operand(inner);
      for (;;) {
        const { type, start: at } = this.#stream.peek();
        const operator = symbols[type];
        if (operator === undefined) break;
        leaves.push(this.#stream.enter(name));
        this.#stream.match(type, start);
        left = this.#call(at, operator, [left, operand(inner)]);
      }
      for (const leave of leaves) leave();
      return left;
    });
  }

  #unary(follow: TokenSet): Expression {
    return this.#rule("unary", follow, () => {
      this.#stream.sync("unary", start);
      const { type, start: at } = this.#stream.peek();
      const isNegativeNumber = type === "'-'" && ["NUM_INT", "NUM_FLOAT"].includes(this.#stream.peek(1).type);
      if ((type !== "'!'" && type !== "'-'") || isNegativeNumber) return this.#member(atEnd);
      if (type === "'-'" && !operandStart.includes(this.#stream.peek(1).type)) this.#stream.noAlternative(1);
      const more = tokens(type, ...operandStart);
      let count = 0;
      do {
        this.#stream.match(type, more);
        count++;
        this.#stream.syncLoop("unary", more);
        const isOpen = this.#next === "'-'" && !operandStart.includes(this.#stream.peek(1).type);
        if (isOpen) this.#stream.noAlternative(1);
      } while (this.#next === type);
      const operand = this.#member(atEnd);
      return count % 2 === 0 ? operand : this.#call(at, type === "'!'" ? operators.not : operators.negate, [operand]);
    });
  }

  #member(follow: TokenSet): Expression {
    return this.#rule("member", follow, () => {
      const leaves: (() => void)[] = [];
      let expression = this.#primary(tokens("'['", "'.'", "end"));
      while (this.#next === "'.'" || this.#next === "'['") {
        leaves.push(this.#stream.enter("member"));
        expression = this.#next === "'.'" ? this.#dot(expression) : this.#index(expression);
      }
      for (const leave of leaves) leave();
      return expression;
    });
  }

  #dot(operand: Expression): Expression {
    const { start: at } = this.#stream.peek();
    const isOptional = this.#stream.peek(1).type === "'?'";
    const name = this.#stream.peek(isOptional ? 2 : 1);
    if (!isOptional && name.type !== "IDENTIFIER" && name.type !== "ESC_IDENTIFIER") this.#stream.noAlternative(1);
    this.#stream.match("'.'", atEnd);
    if (isOptional) this.#stream.match("'?'", tokens("IDENTIFIER", "ESC_IDENTIFIER"));
    const isCall = !isOptional && name.type === "IDENTIFIER" && this.#stream.peek(1).type === "'('";
    if (isCall) {
      this.#stream.match("IDENTIFIER", tokens("'('"));
      const { start: open } = this.#stream.peek();
      return this.#call(open, name.text, this.#args(), operand);
    }
    const field = this.#aggregates.fieldName(atEnd);
    if (!isOptional) return this.builder.select(at, operand, field ?? "");
    return this.builder.call(at, operators.optionalSelect, [operand, this.builder.literal(name.start, field ?? "")]);
  }

  #index(operand: Expression): Expression {
    const { start: at } = this.#stream.peek();
    this.#stream.match("'['", tokens(...start, "'?'"));
    this.#stream.sync("index", tokens(...start, "'?'"));
    const isOptional = this.#next === "'?'";
    if (isOptional) this.#stream.match("'?'", start);
    const index = this.#expression(tokens("']'"));
    this.#stream.match("']'", tokens("'['", "'.'", "end"));
    return this.#call(at, isOptional ? operators.optionalIndex : operators.index, [operand, index]);
  }

  #args(): Expression[] {
    this.#stream.match("'('", tokens(...start, "')'"));
    this.#stream.sync("args", tokens(...start, "')'"));
    const args: Expression[] = [];
    if (start.has(this.#next))
      this.#stream.rule("exprList", tokens("')'"), () => {
        args.push(this.#expression(tokens("','", "end")));
        while (this.#next === "','") {
          this.#stream.match("','", start);
          args.push(this.#expression(tokens("','", "end")));
        }
      });
    this.#stream.match("')'", tokens("'['", "'.'", "end"));
    return args;
  }

  #primary(follow: TokenSet): Expression {
    return this.#rule("primary", follow, () => {
      this.#stream.sync("primary", tokens(...operandStart));
      const { type, start: at } = this.#stream.peek();
      if (type === "'.'" || type === "IDENTIFIER") return this.#named();
      if (type === "'('") {
        this.#stream.match("'('", start);
        const inner = this.#expression(tokens("')'"));
        this.#stream.match("')'", atEnd);
        return inner;
      }
      if (type === "'['") return this.builder.list(at, this.#aggregates.items());
      if (type === "'{'") return this.builder.map(at, this.#aggregates.entries());
      // possible only while recovering from an error
      if (!operandStart.includes(type)) this.#stream.noAlternative(0);
      return parseLiteral(this.#stream, this.builder);
    });
  }

  /** Parses an identifier, a call, or a message with its fields. */
  #named(): Expression {
    const first = this.#stream.peek();
    const dotted = first.type === "'.'";
    if (dotted && this.#stream.peek(1).type !== "IDENTIFIER") this.#stream.noAlternative(1);
    if (dotted) this.#stream.match("'.'", tokens("IDENTIFIER"));
    const message = this.#messageName();
    if (message) {
      const at = this.#stream.peek().start;
      return this.builder.struct(at, (dotted ? "." : "") + message, this.#aggregates.fields());
    }
    const name = this.#stream.peek();
    this.#stream.match("IDENTIFIER", atEnd);
    const text = (dotted ? "." : "") + name.text;
    const isReserved = reservedWords.has(name.text);
    if (this.#next !== "'('") return isReserved ? this.#reserved(first, name) : this.builder.ident(name.start, text);
    const { start: open } = this.#stream.peek();
    const args = this.#args();
    return isReserved ? this.#reserved(first, name) : this.#call(open, text, args);
  }

  #reserved(first: Token, name: Token): Expression {
    this.builder.error(first.start, `reserved identifier: ${name.text}`);
    return this.builder.missing(first.start);
  }

  /** Consumes a message name if the next tokens form one. */
  #messageName(): string | undefined {
    let ahead = 0;
    while (this.#stream.peek(ahead + 1).type === "'.'" && this.#stream.peek(ahead + 2).type === "IDENTIFIER")
      ahead += 2;
    if (this.#stream.peek(ahead + 1).type !== "'{'") return undefined;
    let name = "";
    for (let i = 0; i <= ahead; i++) name += this.#stream.match(this.#next, atEnd)?.text ?? "";
    return name;
  }

  #call(at: number, name: string, args: Expression[], target?: Expression): Expression {
    const expanded = expandMacro(this.#macros, this.builder, { at, name, args, target });
    return expanded ?? this.builder.call(at, name, args, target);
  }
}
