/** Maximum number of characters of a string, and of a stack. */
const longestText = 4_000;
const longestStack = 8_000;
/** Limits for lists and objects, errors in an `AggregateError`, causes, and depth. */
const maxEntries = 30;
const maxErrors = 10;
const maxCauses = 8;
const deepest = 4;
/** Maximum total number of values and of characters for one thrown value. */
const maxValues = 300;
const maxCharacters = 32_000;

/**
 * Returns the representation of a thrown value in log lines. For an error, it contains the type, the fields, and the
 * message and stack, including those of its causes. Used as pino's serializer for `err`. Because any value can be
 * thrown, the function never throws itself, does not modify the value, and returns plain JSON of limited depth and
 * size.
 */
export function shownError(thrown: unknown): unknown {
  try {
    return new Copy().of(thrown, 0);
  } catch {
    return unreadable;
  }
}

/**
 * Returns an error's message, or the text of any other thrown value. Never throws.
 *
 * @param longest maximum length in characters. Default 32,000.
 */
export function errorText(thrown: unknown, longest: number = maxCharacters): string {
  try {
    if (typeof thrown !== "object" || thrown === null) return cut(String(thrown), longest);
    const message: unknown = thrown instanceof Error ? thrown.message : String(thrown);
    if (typeof message === "string") return cut(message, longest);
  } catch {
    // A getter, a proxy or an object without a prototype may have no text.
  }
  return unreadable;
}

/** Reports whether the value is an error whose name, message, stack and cause can be read. */
export function isReadableError(thrown: unknown): thrown is Error {
  try {
    if (!(thrown instanceof Error)) return false;
    const { name, message, stack } = thrown;
    void thrown.cause;
    return [typeof name, typeof message, typeof (stack ?? "")].every((type) => type === "string");
  } catch {
    return false;
  }
}

/**
 * Reports whether an error is a programming error, which would be a panic in Go, as opposed to a failure, which would
 * be a returned error. In JavaScript, both are thrown. Every `TypeError`, `ReferenceError` or `RangeError` without a
 * cause counts as a programming error: errors thrown by the engine have no cause, whereas a `fetch` that cannot connect
 * rejects with a `TypeError` that has one.
 */
export function isPanic(thrown: unknown): boolean {
  try {
    if (!(thrown instanceof TypeError || thrown instanceof ReferenceError || thrown instanceof RangeError))
      return false;
    return thrown.cause === undefined;
  } catch {
    return false;
  }
}

/** V8's messages for writes to frozen objects. */
const frozenWrite =
  /^Cannot (?:assign to read only property|add property|delete property|define property|redefine property)\b/;

/**
 * Returns the message for a programming error from which the program has recovered. If the error was caused by a write
 * to a frozen object, the message contains a remedy.
 */
export function panicText(thrown: unknown): string {
  const text = errorText(thrown);
  const remedy = frozenWrite.test(text)
    ? ": objects in the cache are frozen; modify a mutableCopy(object) instead"
    : "";
  return `panic: ${text}${remedy} [recovered]`;
}

const unreadable = "[cannot be read]";

const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length - longest} more characters)`;

/** Creates one copy of a value, of limited size. */
class Copy {
  #values = maxValues;
  #characters = maxCharacters;
  /** Objects that contain the object being copied. */
  readonly #path = new Set<object>();

  of(value: unknown, depth: number): unknown {
    if (this.#values-- <= 0) return "…";
    if (typeof value === "string") return this.#text(value, longestText);
    if (typeof value === "bigint" || typeof value === "symbol") return this.#text(String(value), longestText);
    if (typeof value === "function") return `[function ${this.#text(textAt(value, "name"), 100)}]`;
    if (typeof value !== "object" || value === null) return value;
    if (this.#path.has(value)) return "[circular]";
    if (depth > deepest) return "[…]";
    this.#path.add(value);
    try {
      return this.#object(value, depth);
    } catch {
      return unreadable;
    } finally {
      this.#path.delete(value);
    }
  }

  #object(value: object, depth: number): unknown {
    if (isList(value)) return this.#list(value, maxEntries, depth);
    if (typeof read(value, "message") === "string") return this.#error(value, depth);
    const toJson = read(value, "toJSON");
    if (typeof toJson === "function") return this.of(Reflect.apply(toJson, value, []), depth + 1);
    return this.#fields(value, [], depth);
  }

  #error(error: object, depth: number): unknown {
    const chain = errorsOf(error);
    const messages = unrepeated(chain.map((one) => cut(textAt(one, "message"), longestText)));
    const stacks = unrepeated(chain.map(stackOf), framesOf);
    const errors = read(error, "errors");
    return {
      type: this.#text(typeOf(error), 200),
      message: this.#text(messages.join(": "), 2 * longestText),
      stack: this.#text(stacks.join("\ncaused by: "), 2 * longestStack),
      ...(isList(errors) ? { aggregateErrors: this.#list(errors, maxErrors, depth) } : {}),
      ...this.#fields(error, ["type", "message", "stack", "cause", "errors", "aggregateErrors"], depth),
    };
  }

  #list(list: readonly unknown[], most: number, depth: number): unknown[] {
    const count = read(list, "length");
    const length = typeof count === "number" ? count : 0;
    const copies = Array.from({ length: Math.min(length, most) }, (_, index) => this.of(read(list, index), depth + 1));
    return length > most ? [...copies, `… and ${length - most} more`] : copies;
  }

  #fields(value: object, left: readonly string[], depth: number): object {
    const keys = keysOf(value).filter((key) => !left.includes(key));
    return Object.fromEntries(keys.map((key) => [this.#text(key, 200), this.of(read(value, key), depth + 1)]));
  }

  #text(text: string, longest: number): string {
    const shown = cut(text, Math.max(Math.min(longest, this.#characters), 0));
    this.#characters -= shown.length;
    return shown;
  }
}

/** Returns an error, followed by those of its causes that look like errors. */
function errorsOf(error: object): readonly object[] {
  const chain: object[] = [];
  let at: unknown = error;
  while (typeof at === "object" && at !== null && chain.length < maxCauses && !chain.includes(at)) {
    if (typeof read(at, "message") !== "string") break;
    chain.push(at);
    at = read(at, "cause");
  }
  return chain;
}

/** Returns the strings, omitting each string that the previous one contains, because an error's message often ends with its cause's message. */
function unrepeated(texts: readonly string[], part: (text: string) => string = (text) => text): readonly string[] {
  const kept: string[] = [];
  for (const text of texts) if (part(text) === "" || !kept.at(-1)?.includes(part(text))) kept.push(text);
  return kept;
}

const framesOf = (stack: string): string => /\n {4}at [\s\S]*/.exec(stack)?.[0] ?? "";

/** Returns an error's stack. The message at its beginning is limited separately, so that a long message does not remove the frames. */
function stackOf(error: object): string {
  const stack = textAt(error, "stack");
  const at = stack.indexOf("\n    at ");
  return at < 0 ? cut(stack, longestText) : cut(stack.slice(0, at), longestText) + cut(stack.slice(at), longestStack);
}

function typeOf(error: object): string {
  const made = read(error, "constructor");
  return textAt(typeof made === "function" ? made : error, "name");
}

/** Returns the names of enumerable fields, including inherited ones, up to the first that cannot be read. */
function keysOf(value: object): string[] {
  const keys: string[] = [];
  try {
    for (const key in value) {
      keys.push(key);
      if (keys.length >= maxEntries) break;
    }
  } catch {
    // Return the keys up to the failure.
  }
  return keys;
}

function isList(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false; // a revoked proxy
  }
}

function textAt(value: object, key: string): string {
  const text = read(value, key);
  return typeof text === "string" ? text : "";
}

function read(value: object, key: string | number): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return unreadable;
  }
}
