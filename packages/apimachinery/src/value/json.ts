declare global {
  interface JSON {
    /**
     * Returns a string that `JSON.stringify` writes unchanged. TypeScript's library for this language level does not declare the function.
     */
    rawJSON(text: string): unknown;
  }
}

/** Matches all texts that may contain an integer that a double cannot represent. */
const longDigits = /\d{16}/;
const integer = /^-?\d+$/;
/** Matches a long integer, but not a digest or identifier, which account for most long sequences of digits. */
const longInteger = /[:,[\s]-?\d{16}/;
/** Maximum length of an integer that becomes a `bigint`, because longer integers take long to parse. They become infinity. */
const maxDigits = 10_000;

/**
 * Parses JSON. Integers beyond ±(2^53 - 1) become `bigint`, without rounding; all other numbers are of type `number`.
 * Strings without 16 consecutive digits are parsed with the faster built-in parser. Integers with more than 10,000
 * characters become `Infinity`, like `1e999`.
 *
 * @throws {SyntaxError} if the text is not JSON
 */
export function parseJson(text: string): unknown {
  if (!longDigits.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepBigIntegers);
}

/**
 * Parses JSON as clients do: all numbers are of type `number`. Integers beyond ±(2^53 - 1) are rounded, but their exact
 * values are stored separately. {@link stringifyJson} writes the exact value if the number has not changed, and {@link
 * exactInteger} returns it.
 *
 * @throws {SyntaxError} if the text is not JSON
 */
export function parseJsonNumbers(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!longDigits.test(text) || !longInteger.test(text)) return value;
  for (const { holder, key, start, end } of numericTokens(text, value)) {
    if (end - start < 16 || end - start > maxDigits) continue;
    const digits = text.slice(start, end);
    if (integer.test(digits) && !Number.isSafeInteger(Number(digits))) keepInteger(holder, key, BigInt(digits));
  }
  return value;
}

/**
 * Returns a value as JSON. This is the inverse of {@link parseJson} and {@link parseJsonNumbers}. A `bigint` is written as a number.
 *
 * @throws {TypeError} if the value contains a circular reference
 */
export function stringifyJson(value: unknown, indent?: number): string {
  const text = written(value, indent);
  return mayHaveKept(text) ? withKeptIntegers(text, value) : text;
}

function written(value: unknown, indent: number | undefined): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? "null";
  } catch (error) {
    if (!(error instanceof TypeError) || !/bigint/i.test(error.message)) throw error;
    return JSON.stringify(value, writeBigIntegers, indent);
  }
}

function withKeptIntegers(text: string, value: unknown): string {
  const parts: string[] = [];
  let copied = 0;
  for (const { holder, key, start, end } of numericTokens(text, value)) {
    const digits = keptInteger(holder, key);
    // An object with `toJSON` may have been written differently.
    if (digits === undefined || Number(digits) !== numberOf(text.slice(start, end))) continue;
    parts.push(text.slice(copied, start), digits.toString());
    copied = end;
  }
  return copied === 0 ? text : parts.join("") + text.slice(copied);
}

const numberOf = (token: string): number => (token === "null" ? Number.POSITIVE_INFINITY : Number(token));

function keepBigIntegers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && source.length <= maxDigits && integer.test(source) ? BigInt(source) : value;
}

const writeBigIntegers = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value;

/** The exact integers in one object or list, keyed by member name or index. */
type Integers = Map<string | number, bigint>;

// Exact values of integers beyond 2^53, which JavaScript rounds. They are stored separately from the object or list that contains the
// number. A stored value is valid as long as the member still has the rounded number. Objects without such integers are not in the map.
const kept = new WeakMap<object, Integers>();
/** The exact integers in a list by their rounded numbers, for items that have moved within the list. */
const byNumber = new WeakMap<Integers, ReadonlyMap<number, bigint | null>>();
/** True once an integer has been stored. In programs that never read such an integer, it remains false. */
let isInUse = false;
/** True once an integer has been stored that rounds to infinity, which JSON represents as null. */
let isInfiniteInUse = false;

/** Stores the exact value of a number that is a member of `holder`, or an item in it if `holder` is a list. */
export function keepInteger(holder: object, key: string | number, digits: bigint): void {
  isInUse = true;
  isInfiniteInUse ||= !Number.isFinite(Number(digits));
  const integers = kept.get(holder);
  if (!integers) kept.set(holder, new Map([[key, digits]]));
  else {
    integers.set(key, digits);
    byNumber.delete(integers);
  }
}

/** Reports whether a string from `JSON.stringify` may contain a number whose exact value is stored. */
const mayHaveKept = (text: string): boolean => isInUse && (isInfiniteInUse ? unsafeOrNull : unsafe).test(text);

const unsafe = /[:,[\s](?:-?\d{16}|-?\d[.\d]*e\+)/;
const unsafeOrNull = /[:,[\s](?:-?\d{16}|-?\d[.\d]*e\+|null)/;

/** Copies the exact integers stored for an object or list to its copy. */
export function withIntegersOf<T extends object>(original: object, copy: T): T {
  const integers = isInUse ? kept.get(original) : undefined;
  if (integers) kept.set(copy, new Map([...integers, ...(kept.get(copy) ?? [])]));
  return copy;
}

/** Copies the exact integer stored for one member to another member with the same number. */
export function keepIntegerOf(original: object, key: string | number, holder: object, as: string | number): void {
  const digits = keptInteger(original, key);
  if (digits !== undefined) keepInteger(holder, as, digits);
}

/**
 * Reports whether two members are equal, taking exact integers into account. `isEqual` is the result of comparing their
 * values. Equal numbers count as different if the exact values of both are known and differ. A number and a `bigint`
 * are equal if the number's exact value equals the `bigint`.
 */
export function isSameMember(
  a: object,
  keyInA: string | number,
  b: object,
  keyInB: string | number,
  isEqual: boolean,
): boolean {
  if (!isInUse) return isEqual;
  const [inA, inB] = [keptInteger(a, keyInA), keptInteger(b, keyInB)];
  if (isEqual) return inA === undefined || inB === undefined || inA === inB;
  return (inA !== undefined && inA === valueAt(b, keyInB)) || (inB !== undefined && inB === valueAt(a, keyInA));
}

const valueAt = (holder: object, key: string | number): unknown =>
  (holder as Readonly<Record<string | number, unknown>>)[key];

/** Returns the stored exact integer of a member, or `undefined` if none is stored, or if the member now has a different value. */
function keptInteger(holder: object, key: string | number): bigint | undefined {
  if (!isInUse) return undefined;
  const value = valueAt(holder, key);
  if (typeof value !== "number" || Number.isSafeInteger(value)) return undefined;
  const integers = kept.get(holder);
  if (!integers) return undefined;
  const here = integers.get(key);
  if (here !== undefined && Number(here) === value) return here;
  return Array.isArray(holder) ? movedInteger(integers, value) : undefined;
}

/**
 * Returns the exact integer of an item that has moved within its list, or `undefined` if two integers in the list round to the same number.
 */
function movedInteger(integers: Integers, value: number): bigint | undefined {
  let numbers = byNumber.get(integers);
  if (!numbers) {
    numbers = byNumberOf(integers);
    byNumber.set(integers, numbers);
  }
  return numbers.get(value) ?? undefined;
}

/** Returns the exact integer of each rounded number, or null if several integers round to it. */
function byNumberOf(integers: Integers): Map<number, bigint | null> {
  const numbers = new Map<number, bigint | null>();
  for (const digits of integers.values()) {
    const number = Number(digits);
    const other = numbers.get(number);
    numbers.set(number, other === undefined || other === digits ? digits : null);
  }
  return numbers;
}

/**
 * Returns the exact value of an integer in an object or list. Beyond 2^53, exact values are known only for objects that
 * a client or cache has read, and for copies of them made by `mutableCopy`.
 *
 * @returns `undefined` if the member is not an integer
 */
export function exactInteger(holder: object, key: string | number): bigint | undefined {
  const value: unknown = Object.hasOwn(holder, key)
    ? (holder as Readonly<Record<string | number, unknown>>)[key]
    : undefined;
  if (typeof value === "bigint") return value;
  return keptInteger(holder, key) ?? (Number.isInteger(value) ? BigInt(value as number) : undefined);
}

/** A number or `null` in a JSON text, with the object or list that contains it. */
interface Token {
  readonly holder: object;
  readonly key: string | number;
  readonly start: number;
  readonly end: number;
}

interface Level {
  /** The object or list at this place in the text. `undefined` if the value does not contain it. */
  readonly holder: object | undefined;
  readonly isList: boolean;
  key: string | number;
  isAtName: boolean;
}

/**
 * Yields the numbers and `null`s in a JSON text, with their places in the corresponding value. The text is read in one pass and without
 * recursion, because texts from other programs may be nested to any depth.
 *
 * @param text well-formed JSON
 * @param value value that was written as the text or parsed from it
 */
function* numericTokens(text: string, value: unknown): Generator<Token, void, undefined> {
  const levels: Level[] = [];
  let level: Level = { holder: { "": value }, isList: false, key: "", isAtName: false };
  for (let at = 0; at < text.length; ) {
    const start = at;
    const character = text[at];
    switch (character) {
      case '"':
        at = endOfString(text, at);
        if (level.isAtName) level.key = nameIn(text, start, at);
        break;
      case "{":
      case "[": {
        const isList = character === "[";
        levels.push(level);
        level = { holder: within(level), isList, key: isList ? 0 : "", isAtName: !isList };
        at++;
        break;
      }
      case "}":
      case "]":
        level = levels.pop() ?? level;
        at++;
        break;
      case ",":
        if (level.isList) level.key = Number(level.key) + 1;
        else level.isAtName = true;
        at++;
        break;
      case ":":
        level.isAtName = false;
        at++;
        break;
      case " ":
      case "\n":
      case "\r":
      case "\t":
        at++;
        break;
      default:
        scalar.lastIndex = at;
        scalar.test(text);
        at = Math.max(scalar.lastIndex, at + 1);
        if (level.holder && character !== "t" && character !== "f")
          yield { holder: level.holder, key: level.key, start, end: at };
    }
  }
}

/** Matches a number or a literal. */
const scalar = /[-+.\w]+/y;

function within({ holder, key }: Level): object | undefined {
  const value: unknown = holder && Object.hasOwn(holder, key) ? valueAt(holder, key) : undefined;
  return typeof value === "object" && value !== null ? value : undefined;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let escapes = quote;
    while (text[escapes - 1] === "\\") escapes--;
    at = quote + 1;
    if ((quote - escapes) % 2 === 0) return at;
  }
}

function nameIn(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end - 1);
  return name.includes("\\") ? (JSON.parse(text.slice(start, end)) as string) : name;
}
