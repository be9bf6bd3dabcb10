import type { Expression, MapEntry, StructField } from "./ast.ts";
import type { ExpressionBuilder } from "./expression-builder.ts";
import type { TokenType } from "./lexer.ts";
import { type TokenSet, type TokenStream, tokens } from "./token-stream.ts";

const literalStart: readonly TokenType[] = [
  "'true'",
  "'false'",
  "'null'",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
];
/** Tokens with which an operand can start. */
export const operandStart: readonly TokenType[] = [...literalStart, "'['", "'{'", "'('", "'.'", "'-'", "IDENTIFIER"];
/** Tokens with which an expression can start. */
export const start = tokens(...operandStart, "'!'");

const atEnd = tokens("end");

/** Parses the contents of brackets: list items, map entries, or message fields. */
export class AggregateParser {
  readonly #stream: TokenStream;
  readonly #builder: ExpressionBuilder;
  readonly #expression: (follow: TokenSet) => Expression;

  constructor(stream: TokenStream, builder: ExpressionBuilder, expression: (follow: TokenSet) => Expression) {
    this.#stream = stream;
    this.#builder = builder;
    this.#expression = expression;
  }

  get #next(): TokenType {
    return this.#stream.peek().type;
  }

  /** Parses a field name. A name that is not an identifier is written in backquotes. */
  fieldName(follow: TokenSet): string | undefined {
    const { type, text, start: at } = this.#stream.peek();
    const name = this.#stream.rule("escapeIdent", follow, () => {
      this.#stream.sync("escapeIdent", tokens("IDENTIFIER", "ESC_IDENTIFIER"));
      this.#stream.match(this.#next === "ESC_IDENTIFIER" ? "ESC_IDENTIFIER" : "IDENTIFIER", atEnd);
      return text;
    });
    if (name === undefined) this.#builder.error(at, "unsupported ident kind");
    else if (type === "ESC_IDENTIFIER") this.#builder.error(at, "unsupported syntax: '`'");
    return name;
  }

  items(): { value: Expression; optional: boolean }[] {
    const items: { value: Expression; optional: boolean }[] = [];
    const first = tokens(...start, "'?'");
    this.#stream.match("'['", tokens(...first, "','", "']'"));
    this.#stream.sync("list", tokens(...first, "','", "']'"));
    if (first.has(this.#next))
      this.#stream.rule("listInit", tokens("','", "']'"), () => {
        items.push(this.#optional(tokens("','", "end")));
        while (this.#next === "','" && first.has(this.#stream.peek(1).type)) {
          this.#stream.match("','", first);
          items.push(this.#optional(tokens("','", "end")));
        }
      });
    this.#close("']'");
    return items;
  }

  #optional(follow: TokenSet): { value: Expression; optional: boolean } {
    const parsed = this.#stream.rule("optExpr", follow, () => {
      this.#stream.sync("optExpr", tokens(...start, "'?'"));
      const optional = this.#next === "'?'";
      if (optional) this.#stream.match("'?'", start);
      return { value: this.#expression(atEnd), optional };
    });
    return parsed ?? { value: this.#builder.missing(this.#stream.peek().start), optional: false };
  }

  #close(bracket: "']'" | "'}'"): void {
    this.#stream.sync("close", tokens("','", bracket));
    if (this.#next === "','") this.#stream.match("','", tokens(bracket));
    this.#stream.match(bracket, atEnd);
  }

  entries(): MapEntry[] {
    const entries: MapEntry[] = [];
    const first = tokens(...start, "'?'");
    this.#stream.match("'{'", tokens(...first, "','", "'}'"));
    this.#stream.sync("map", tokens(...first, "','", "'}'"));
    const entry = (): void => {
      const { value: key, optional } = this.#optional(tokens("':'"));
      const at = this.#stream.match("':'", start)?.start ?? 0;
      entries.push(this.#builder.entry(at, key, this.#expression(tokens("','", "end")), optional));
    };
    if (first.has(this.#next))
      this.#stream.rule("mapInitializerList", tokens("','", "'}'"), () => {
        entry();
        while (this.#next === "','" && first.has(this.#stream.peek(1).type)) {
          this.#stream.match("','", first);
          entry();
        }
      });
    this.#close("'}'");
    return entries;
  }

  fields(): StructField[] {
    const fields: StructField[] = [];
    const first = tokens("'?'", "IDENTIFIER", "ESC_IDENTIFIER");
    this.#stream.match("'{'", tokens(...first, "','", "'}'"));
    this.#stream.sync("message", tokens(...first, "','", "'}'"));
    const field = (): void => {
      let optional = false;
      const name = this.#stream.rule("optField", tokens("':'"), () => {
        this.#stream.sync("optField", first);
        optional = this.#next === "'?'";
        if (optional) this.#stream.match("'?'", tokens("IDENTIFIER", "ESC_IDENTIFIER"));
        return this.fieldName(atEnd);
      });
      const at = this.#stream.match("':'", start)?.start ?? 0;
      fields.push(this.#builder.field(at, name ?? "", this.#expression(tokens("','", "end")), optional));
    };
    if (first.has(this.#next))
      this.#stream.rule("fieldInitializerList", tokens("','", "'}'"), () => {
        field();
        while (this.#next === "','" && first.has(this.#stream.peek(1).type)) {
          this.#stream.match("','", first);
          field();
        }
      });
    this.#close("'}'");
    return fields;
  }
}
