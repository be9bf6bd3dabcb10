import { quote } from "@kubewright/apimachinery";
import { spend, spendOnText } from "../text/cost-meter.ts";
import { formatDouble, formatRfc3339, formatSeconds } from "../text/go-text.ts";
import { CelList, CelMap } from "../values/collections.ts";
import { typeName } from "../values/type.ts";
import {
  CelBytes,
  CelDuration,
  CelError,
  CelNode,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  typeOf,
} from "../values/value.ts";

const defaultPrecision = 6;

/** Thrown if a format string is not valid or does not match its arguments. */
export class FormatProblem extends Error {
  override readonly name = "FormatProblem";
}

/** Handles the clauses of a format string, such as `%s`. `format` receives the index of the clause's argument. */
interface ClauseVisitor {
  readonly argumentCount: number;
  format(clause: Clause, argument: number): string;
}

export interface Clause {
  readonly letter: "s" | "d" | "f" | "e" | "b" | "x" | "X" | "o";
  readonly precision: number;
}

const isLetter = (letter: string): letter is Clause["letter"] => /^[sdfebxXo]$/.test(letter);

/** Maximum length of a clause. A longer clause cannot have a meaningful precision. */
const longestClause = 32;

/** Visits the clauses of a format string. @throws {FormatProblem} if a clause is not valid */
export function visitFormat(text: string, visitor: ClauseVisitor): string {
  let result = "";
  let argument = 0;
  let i = 0;
  while (i < text.length) {
    if (text[i] !== "%" || text[i + 1] === "%") {
      result += text[i];
      i += text[i] === "%" ? 2 : 1;
      continue;
    }
    if (argument >= visitor.argumentCount && visitor.argumentCount >= 0)
      throw new FormatProblem(`index ${argument} out of range`);
    if (i + 1 >= text.length) throw new FormatProblem("unexpected end of string");
    const [whole = "", dot, digits = "", letter = ""] =
      /^%(\.(\d*))?(.?)/su.exec(text.slice(i, i + longestClause)) ?? [];
    const parsing = "could not parse formatting clause";
    if (dot !== undefined && letter === "")
      throw new FormatProblem(`${parsing}: error while parsing precision: could not find end of precision specifier`);
    if (dot !== undefined && digits === "")
      throw new FormatProblem(
        `${parsing}: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax`,
      );
    if (!isLetter(letter)) throw new FormatProblem(`${parsing}: unrecognized formatting clause "${letter}"`);
    const made = visitor.format({ letter, precision: dot === undefined ? defaultPrecision : Number(digits) }, argument);
    spendOnText(made.length);
    result += made;
    argument++;
    i += whole.length;
  }
  return result;
}

/** The types that each clause letter accepts, as worded in messages. */
export const clauseUses: Readonly<Record<Clause["letter"], string>> = {
  s: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  d: "decimal clause can only be used on integers",
  f: "fixed-point clause can only be used on doubles",
  e: "scientific clause can only be used on doubles",
  b: "only integers and bools can be formatted as binary",
  x: "only integers, byte buffers, and strings can be formatted as hex",
  X: "only integers, byte buffers, and strings can be formatted as hex",
  o: "octal clause can only be used on integers",
};

/** Evaluates calls such as `"%s is %d".format(["x", 1])`. @see cel-go ext/formatting.go */
export function formatString(text: string, args: CelList): CelValue {
  try {
    return visitFormat(text, {
      argumentCount: args.length,
      format: (clause, argument) => formatted(args.at(argument), clause),
    });
  } catch (error) {
    if (error instanceof FormatProblem) return new CelError(error.message);
    throw error;
  }
}

function formatted(value: CelValue, clause: Clause): string {
  if (value instanceof CelError) throw new FormatProblem(value.message);
  const text = clauses[clause.letter](value, clause);
  if (text !== undefined) return text;
  throw new FormatProblem(
    `error during formatting: ${clauseUses[clause.letter]}, was given ${typeName(typeOf(value))}`,
  );
}

type Formatter = (value: CelValue, clause: Clause) => string | undefined;

const integer = (value: CelValue): bigint | undefined =>
  typeof value === "bigint" ? value : value instanceof CelUint ? value.value : undefined;

const inBase =
  (base: number): Formatter =>
  (value) =>
    integer(value)?.toString(base);

const double = (value: CelValue): number | undefined => {
  if (typeof value === "number") return value;
  if (value === "NaN") return Number.NaN;
  if (value === "Infinity") return Number.POSITIVE_INFINITY;
  return value === "-Infinity" ? Number.NEGATIVE_INFINITY : undefined;
};

/** Formats a number with a fixed number of decimals, and with digits grouped as in English. */
const fixed: Formatter = (value, { precision }) => {
  const number = double(value);
  if (number === undefined) return undefined;
  if (!Number.isFinite(number)) return Number.isNaN(number) ? "NaN" : number > 0 ? "∞" : "-∞";
  spend(workOfNumber);
  return inEnglish(Math.min(precision, 100)).format(number);
};

/** Work needed to format a number, measured in comparisons. */
const workOfNumber = 100;
const numberFormats = new Map<number, Intl.NumberFormat>();

/** Returns a number formatter for English. Formatters are cached, because creating one takes longer than evaluating most expressions. */
function inEnglish(digits: number): Intl.NumberFormat {
  let format = numberFormats.get(digits);
  if (!format) {
    format = new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
    numberFormats.set(digits, format);
  }
  return format;
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const scientific: Formatter = (value, { precision }) => {
  const number = double(value);
  if (number === undefined) return undefined;
  if (!Number.isFinite(number)) return Number.isNaN(number) ? "NaN" : number > 0 ? "∞" : "-∞";
  const [digits = "", exponent = "0"] = number.toExponential(defaultPrecision).split("e");
  const sign = exponent.startsWith("-") ? "⁻" : "";
  const power = String(Math.abs(Number(exponent))).padStart(2, "0");
  // upstream uses the precision as the width
  spendOnText(precision);
  return `${digits}×10${sign}${[...power].map((digit) => superscripts[Number(digit)]).join("")}`.padStart(precision);
};

const hex: Formatter = (value) => {
  if (typeof value === "string") return Buffer.from(value, "utf8").toString("hex");
  if (value instanceof CelBytes) return Buffer.from(value.value).toString("hex");
  return inBase(16)(value, { letter: "x", precision: 0 });
};

const clauses: Readonly<Record<Clause["letter"], Formatter>> = {
  s: (value) => plain(value),
  d: (value) => integer(value)?.toString(),
  f: fixed,
  e: scientific,
  b: (value, clause) => (typeof value === "boolean" ? (value ? "1" : "0") : inBase(2)(value, clause)),
  x: hex,
  X: (value, clause) => hex(value, clause)?.toUpperCase(),
  o: inBase(8),
};

/** Formats a value. Returns `undefined` if it has no text form. */
function plain(value: CelValue): string | undefined {
  if (value === null) return "null";
  if (typeof value === "number") return formatDouble(value, 6);
  if (!(value instanceof CelNode)) return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelBytes) return Buffer.from(value.value).toString("utf8");
  if (value instanceof CelTimestamp) return formatRfc3339(value.ns, value.zoneMinutes);
  if (value instanceof CelDuration) return formatSeconds(value.ns);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelList) return `[${[...value].map(nested).join(", ")}]`;
  return value instanceof CelMap ? mapText(value) : undefined;
}

function mapText(map: CelMap): string {
  const entries = [...map.keys()].map((key) => [nested(key), nested(map.find(key) ?? null)] as const);
  entries.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(", ")}}`;
}

/** Work needed to format a value, measured in comparisons. */
const workOfValue = 4;

/** Formats a value within a list or map, where values are written as literals. */
function nested(value: CelValue): string {
  spend(workOfValue);
  if (typeof value === "string") return quote(value);
  if (typeof value === "number")
    return Number.isFinite(value) ? value.toFixed(defaultPrecision) : quote(formatDouble(value));
  if (value instanceof CelBytes) return `b${quote(Buffer.from(value.value).toString("utf8"))}`;
  if (value instanceof CelTimestamp) return `timestamp("${formatRfc3339(value.ns, value.zoneMinutes)}")`;
  if (value instanceof CelDuration) return `duration("${formatSeconds(value.ns)}")`;
  const text = plain(value);
  if (text === undefined)
    throw new FormatProblem(`error during formatting: no formatting function for ${typeName(typeOf(value))}`);
  return text;
}
