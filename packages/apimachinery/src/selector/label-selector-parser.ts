import type { LabelOperator, LabelRequirement } from "./label-requirement.ts";

interface Token {
  readonly type:
    | "identifier"
    | "end"
    | "error"
    | "("
    | ")"
    | ","
    | "!"
    | "="
    | "=="
    | "!="
    | ">"
    | "<"
    | "in"
    | "notin";
  readonly text: string;
}

const symbols = ["(", ")", ",", "!", "=", "==", "!=", ">", "<"] as const;
const operators: Readonly<Partial<Record<Token["type"], LabelOperator>>> = {
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "==",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
};

/**
 * Maximum number of requirements in a selector. Every requirement is validated, and is evaluated for each object. Without this limit, a
 * query of 1 MB could contain a hundred times as many.
 */
const maxRequirements = 10_000;

/**
 * Parses the text form of a label selector by recursive descent. Errors have upstream's messages.
 *
 * @see apimachinery labels Parser
 */
export class LabelSelectorParser {
  readonly #tokens: readonly Token[];
  readonly #check: (requirement: LabelRequirement) => LabelRequirement;
  readonly #checkKey: (key: string) => void;
  #position = 0;

  constructor(
    text: string,
    check: (requirement: LabelRequirement) => LabelRequirement,
    checkKey: (key: string) => void,
  ) {
    this.#tokens = tokenize(text);
    this.#check = check;
    this.#checkKey = checkKey;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const { type, text } = this.#peek();
      if (type === "end") return requirements;
      if (type !== "identifier" && type !== "!")
        throw new Error(`found '${text}', expected: !, identifier, or 'end of string'`);
      if (requirements.length === maxRequirements) throw new Error(`found more than ${maxRequirements} requirements`);
      requirements.push(this.#requirement());
      const after = this.#take();
      if (after.type === "end") return requirements;
      if (after.type !== ",") throw new Error(`found '${after.text}', expected: ',' or 'end of string'`);
      const next = this.#peek();
      if (next.type !== "identifier" && next.type !== "!")
        throw new Error(`found '${next.text}', expected: identifier after ','`);
    }
  }

  #requirement(): LabelRequirement {
    try {
      const negated = this.#peek().type === "!";
      if (negated) this.#take();
      const key = this.#take();
      if (key.type !== "identifier") throw new Error(`found '${key.text}', expected: identifier`);
      this.#checkKey(key.text);
      const next = this.#peek().type;
      if (negated) return this.#check({ key: key.text, operator: "!", values: [] });
      if (next === "end" || next === ",") return this.#check({ key: key.text, operator: "exists", values: [] });
      const operator = this.#operator();
      const values = operator === "in" || operator === "notin" ? this.#list() : [this.#exactValue()];
      return this.#check({ key: key.text, operator, values });
    } catch (error) {
      throw new Error(`unable to parse requirement: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #operator(): LabelOperator {
    const token = this.#takeRaw();
    const operator = operators[token.type];
    if (operator === undefined) throw new Error(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
    return operator;
  }

  #exactValue(): string {
    const next = this.#peek().type;
    if (next === "end" || next === ",") return "";
    const token = this.#take();
    if (token.type === "identifier") return token.text;
    throw new Error(`found '${token.text}', expected: identifier`);
  }

  /** Parses a list of values such as `(a,b)`. An empty position between commas is an empty value. */
  #list(): string[] {
    const open = this.#take();
    if (open.type !== "(") throw new Error(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.type === ")") {
      this.#take();
      return [""];
    }
    if (first.type !== "identifier" && first.type !== ",")
      throw new Error(`found '${first.text}', expected: ',', ')' or identifier`);
    const values: string[] = [];
    for (;;) {
      const token = this.#take();
      if (token.type === "identifier") {
        values.push(token.text);
        const next = this.#peek();
        if (next.type === ")") break;
        if (next.type !== ",") throw new Error(`found '${next.text}', expected: ',' or ')'`);
      } else if (token.type === ",") {
        if (values.length === 0) values.push("");
        const next = this.#peek().type;
        if (next === ")") {
          values.push("");
          break;
        }
        if (next === ",") {
          this.#take();
          values.push("");
        }
      } else {
        throw new Error(`found '${token.text}', expected: ',', or identifier`);
      }
    }
    this.#take();
    return values;
  }

  /** Returns the next token without consuming it. `in` and `notin` are treated as ordinary words. */
  #peek(): Token {
    const token = this.#tokens[this.#position] ?? { type: "end", text: "" };
    return token.type === "in" || token.type === "notin" ? { type: "identifier", text: token.text } : token;
  }

  #take(): Token {
    const token = this.#peek();
    this.#position++;
    return token;
  }

  #takeRaw(): Token {
    const token = this.#tokens[this.#position] ?? { type: "end" as const, text: "" };
    this.#position++;
    return token;
  }
}

const symbolTokens: ReadonlyMap<string, Token> = new Map(
  symbols.map((symbol) => [symbol, { type: symbol, text: symbol }]),
);
const tokenText = /==|!=|[=!(),<>]|[^=!(),<> \t\r\n]+/g;

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [word] of text.matchAll(tokenText))
    tokens.push(
      symbolTokens.get(word) ?? { type: word === "in" || word === "notin" ? word : "identifier", text: word },
    );
  return tokens;
}
