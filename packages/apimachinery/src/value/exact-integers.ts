/** Exact integers of one object or list, by member or index. */
type Integers = Map<string | number, bigint>;

// JavaScript rounds integers beyond 2^53. Their exact values are stored here, separate from the object or list that contains the number.
// They are valid while the member still has the rounded number. Objects without such integers are not in the map.
const kept = new WeakMap<object, Integers>();
/** Integers of a list by their rounded numbers, for items that have moved within the list. */
const byNumber = new WeakMap<Integers, ReadonlyMap<number, bigint | null>>();
/** Remains false in programs that never read such an integer. */
let isInUse = false;
/** True after the first integer that rounds to infinity, which JSON represents as null. */
let isInfiniteInUse = false;

/** Stores the exact value of a number that is a member of `holder`, or an item if `holder` is a list. */
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

/** Reports whether a text from `JSON.stringify` may contain a number whose exact value is stored. */
export const mayHaveKept = (text: string): boolean => isInUse && (isInfiniteInUse ? unsafeOrNull : unsafe).test(text);

const unsafe = /[:,[\s](?:-?\d{16}|-?\d[.\d]*e\+)/;
const unsafeOrNull = /[:,[\s](?:-?\d{16}|-?\d[.\d]*e\+|null)/;

/** Copies the stored exact integers from the original to a copy of the object or list. */
export function withIntegersOf<T extends object>(original: object, copy: T): T {
  const integers = isInUse ? kept.get(original) : undefined;
  if (integers) kept.set(copy, new Map([...integers, ...(kept.get(copy) ?? [])]));
  return copy;
}

/** Copies the stored exact integer of one member to a member with the same number. */
export function keepIntegerOf(original: object, key: string | number, holder: object, as: string | number): void {
  const digits = keptInteger(original, key);
  if (digits !== undefined) keepInteger(holder, as, digits);
}

/**
 * Reports whether two members are the same, given whether their values are equal. Equal numbers are the same if the exact value of one is
 * not known. A number and a `bigint` are the same if the exact value of the number is the `bigint`.
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

/** Returns a member's stored exact integer, or `undefined` if none is stored or the member now has a different value. */
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

/**
 * Returns the exact integer of an item that has moved within its list. Does not find it if two integers of the list round to the same
 * number.
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
 * Returns the exact value of an integer in an object or list. Exact values beyond 2^53 are known for objects that a client or a cache has
 * read, and for their copies from `mutableCopy`.
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

/** Number or `null` in a JSON text, and the object or list that contains it. */
interface Token {
  readonly holder: object;
  readonly key: string | number;
  readonly start: number;
  readonly end: number;
}

interface Level {
  /** The object or list at this place in the text; `undefined` if the value does not contain it. */
  readonly holder: object | undefined;
  readonly isList: boolean;
  key: string | number;
  isAtName: boolean;
}

/**
 * Yields the numbers and `null`s of a JSON text with their places in its value. Reads the text in one pass without recursion, because
 * texts from other programs may be nested to any depth.
 *
 * @param text well-formed JSON
 * @param value the value from which the text was written, or to which it was parsed
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
