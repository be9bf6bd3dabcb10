/** The integers of one object or list, by member or index, as the text had them. */
type Integers = Map<string | number, bigint>;

// An integer beyond 2^53 is a number like any other, hence rounded. Its digits are kept beside the object or list that holds it, and
// are good for as long as the member has the number that they round to. An object without such integers is not in here.
const kept = new WeakMap<object, Integers>();
/** The integers of a list by the number they round to, for lists whose items have moved. */
const byNumber = new WeakMap<Integers, ReadonlyMap<number, bigint | null>>();
/** Stays false in programs that never read such an integer. */
let isInUse = false;
/** True once one of them rounds to infinity, which is written as null. */
let isInfiniteInUse = false;

/** Keeps the digits of a number that is a member of `holder`, or an item of it if it is a list. */
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

/** Reports whether a text from `JSON.stringify` may contain a number whose digits have been kept. */
export const mayHaveKept = (text: string): boolean => isInUse && (isInfiniteInUse ? unsafeOrNull : unsafe).test(text);

const unsafe = /[:,[\s](?:-?\d{16}|-?\d[.\d]*e\+)/;
const unsafeOrNull = /[:,[\s](?:-?\d{16}|-?\d[.\d]*e\+|null)/;

/** Gives a copy of an object or a list the digits that were kept for the original. */
export function withIntegersOf<T extends object>(original: object, copy: T): T {
  const integers = isInUse ? kept.get(original) : undefined;
  if (integers) kept.set(copy, new Map([...integers, ...(kept.get(copy) ?? [])]));
  return copy;
}

/** Gives a member the digits that were kept for the same number in another place. */
export function keepIntegerOf(original: object, key: string | number, holder: object, as: string | number): void {
  const digits = keptInteger(original, key);
  if (digits !== undefined) keepInteger(holder, as, digits);
}

/**
 * Reports whether two members are the same, given whether their values are equal. Equal numbers count as the same if the digits of one
 * are not known. A number is the same as the `bigint` that its digits are.
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

/** The digits that were kept for a member, unless it has another value by now. */
export function keptInteger(holder: object, key: string | number): bigint | undefined {
  if (!isInUse) return undefined;
  const value = valueAt(holder, key);
  if (typeof value !== "number" || Number.isSafeInteger(value)) return undefined;
  const integers = kept.get(holder);
  if (!integers) return undefined;
  const here = integers.get(key);
  if (here !== undefined && Number(here) === value) return here;
  return Array.isArray(holder) ? movedInteger(integers, value) : undefined;
}

/** Digits of an item that has moved within its list. Two items that round to the same number cannot be told apart then. */
function movedInteger(integers: Integers, value: number): bigint | undefined {
  let numbers = byNumber.get(integers);
  if (!numbers) {
    numbers = byNumberOf(integers);
    byNumber.set(integers, numbers);
  }
  return numbers.get(value) ?? undefined;
}

/** Each number with its digits, or with null if two of the integers round to it. */
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
 * The integer that an object or a list holds, with all its digits: those beyond 2^53, which the number itself has lost, are known of what
 * a client or a cache has read, and of a `mutableCopy` of it.
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

/** A number or `null` in the text of a JSON value, and the object or list that holds it. */
interface Token {
  readonly holder: object;
  readonly key: string | number;
  readonly start: number;
  readonly end: number;
}

interface Level {
  /** Where the text has an object or a list; `undefined` if the value has neither. */
  readonly holder: object | undefined;
  readonly isList: boolean;
  key: string | number;
  isAtName: boolean;
}

/**
 * The numbers and `null`s of a JSON text and their places in its value. Goes through the text once, without recursion: text from elsewhere
 * nests as deep as it likes.
 *
 * @param text well-formed
 * @param value what the text was parsed into, or written from
 */
export function* numericTokens(text: string, value: unknown): Generator<Token, void, undefined> {
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

/** Numbers and literals. */
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
