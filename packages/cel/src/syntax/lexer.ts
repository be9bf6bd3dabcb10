import type { Source } from "../text/source.ts";

export type TokenType =
  | "<EOF>"
  | "'=='"
  | "'!='"
  | "'in'"
  | "'<'"
  | "'<='"
  | "'>='"
  | "'>'"
  | "'&&'"
  | "'||'"
  | "'['"
  | "']'"
  | "'{'"
  | "'}'"
  | "'('"
  | "')'"
  | "'.'"
  | "','"
  | "'-'"
  | "'!'"
  | "'?'"
  | "':'"
  | "'+'"
  | "'*'"
  | "'/'"
  | "'%'"
  | "'true'"
  | "'false'"
  | "'null'"
  | "NUM_FLOAT"
  | "NUM_INT"
  | "NUM_UINT"
  | "STRING"
  | "BYTES"
  | "IDENTIFIER"
  | "ESC_IDENTIFIER";

/** The token types, in the order in which they occur in the grammar and in messages. */
export const tokenOrder: readonly TokenType[] = [
  "<EOF>",
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'['",
  "']'",
  "'{'",
  "'}'",
  "'('",
  "')'",
  "'.'",
  "','",
  "'-'",
  "'!'",
  "'?'",
  "':'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  "'true'",
  "'false'",
  "'null'",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
  "ESC_IDENTIFIER",
];

export interface Token {
  readonly type: TokenType;
  readonly text: string;
  /** Start of the token in the source, in code points. */
  readonly start: number;
  readonly end: number;
}

const words: ReadonlyMap<string, TokenType> = new Map<string, TokenType>([
  ["in", "'in'"],
  ["true", "'true'"],
  ["false", "'false'"],
  ["null", "'null'"],
]);

const symbols: ReadonlyMap<string, TokenType> = new Map(
  tokenOrder.filter((type) => /^'[^a-z]+'$/.test(type)).map((type): [string, TokenType] => [type.slice(1, -1), type]),
);

const number =
  /^(?:(\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|(0x[0-9a-fA-F]+[uU]|\d+[uU])|(0x[0-9a-fA-F]+|\d+))/;
const escapeSequence = /^\\(?:[abfnrtv"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/;
const space = /[\t \r\n\f]/;

/**
 * Splits an expression into tokens. Reports and skips invalid characters, like upstream's generated lexer.
 *
 * @see cel-go parser/gen/CEL.g4
 */
export function tokenize(source: Source, report: (at: number, message: string) => void): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const found = scan(source, at);
    if (typeof found === "number") {
      report(at, `token recognition error at: '${source.slice(at, found + 1)}'`);
      at = found + 1;
      continue;
    }
    if (found.type) tokens.push({ type: found.type, text: source.slice(at, found.end), start: at, end: found.end });
    at = found.end;
  }
  tokens.push({ type: "<EOF>", text: "<EOF>", start: source.length, end: source.length });
  return tokens;
}

/** Returns the token at a position, or the position of an error. Ignored text, such as white space, is a token without a type. */
function scan(source: Source, at: number): { type?: TokenType; end: number } | number {
  const first = source.at(at);
  const next = source.at(at + 1);
  if (space.test(first)) {
    let end = at + 1;
    while (end < source.length && space.test(source.at(end))) end++;
    return { end };
  }
  if (first === "/" && next === "/") {
    let end = at;
    while (end < source.length && source.at(end) !== "\n") end++;
    return { end };
  }
  if (/[0-9]/.test(first) || (first === "." && /[0-9]/.test(next))) return scanNumber(source, at);
  const literal = scanPrefixed(source, at);
  if (literal !== undefined) return literal;
  if (/[A-Za-z_]/.test(first)) {
    let end = at + 1;
    while (/[A-Za-z0-9_]/.test(source.at(end))) end++;
    return { type: words.get(source.slice(at, end)) ?? "IDENTIFIER", end };
  }
  if (first === "`") return scanEscapedIdentifier(source, at);
  const two = symbols.get(first + next);
  if (two) return { type: two, end: at + 2 };
  const one = symbols.get(first);
  if (one) return { type: one, end: at + 1 };
  return "=&|".includes(first) ? Math.min(at + 1, source.length) : at;
}

function scanNumber(source: Source, at: number): { type: TokenType; end: number } {
  let end = at;
  while (/[0-9a-zA-Z.+-]/.test(source.at(end))) end++;
  const [whole = "", float, unsigned] = number.exec(source.slice(at, end)) ?? [];
  const type = float === undefined ? (unsigned === undefined ? "NUM_INT" : "NUM_UINT") : "NUM_FLOAT";
  return { type, end: at + whole.length };
}

function scanEscapedIdentifier(source: Source, at: number): { type: TokenType; end: number } | number {
  let end = at + 1;
  while (/[A-Za-z0-9_./ -]/.test(source.at(end))) end++;
  return source.at(end) === "`" && end > at + 1 ? { type: "ESC_IDENTIFIER", end: end + 1 } : end;
}

function scanPrefixed(source: Source, at: number): { type: TokenType; end: number } | number | undefined {
  let open = at;
  const isBytes = /[bB]/.test(source.at(open));
  if (isBytes) open++;
  const isRaw = /[rR]/.test(source.at(open));
  if (isRaw) open++;
  if (!/["']/.test(source.at(open))) return undefined;
  const end = scanString(source, open, isRaw);
  // if a literal with a prefix is unfinished, the prefix is an identifier, and the unfinished literal follows it
  if (end < 0) return open > at ? undefined : -end - 1;
  return { type: isBytes ? "BYTES" : "STRING", end };
}

/** Returns the end of a string, or the position of an error as `-position - 1`. */
function scanString(source: Source, open: number, isRaw: boolean): number {
  const quote = source.at(open);
  const isTriple = source.at(open + 1) === quote && source.at(open + 2) === quote;
  if (isTriple) {
    const end = scanBody(source, open + 3, quote.repeat(3), isRaw);
    // three quotes without closing quotes are an empty string and the start of another one
    return end < 0 ? open + 2 : end;
  }
  return scanBody(source, open + 1, quote, isRaw);
}

function scanBody(source: Source, from: number, quote: string, isRaw: boolean): number {
  let at = from;
  while (at < source.length) {
    if (source.slice(at, at + quote.length) === quote) return at + quote.length;
    const point = source.at(at);
    if (quote.length === 1 && (point === "\n" || point === "\r")) return -at - 1;
    if (point === "\\" && !isRaw) {
      const [sequence] = escapeSequence.exec(source.slice(at, at + 10)) ?? [];
      if (!sequence) return -(at + 1) - 1;
      at += sequence.length;
    } else at++;
  }
  return -source.length - 1;
}
