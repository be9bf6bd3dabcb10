/** Maximum number of characters of one string, and of a stack. */
const longestText = 4_000;
const longestStack = 8_000;
/** Maximum number of entries of one list or object, of errors in an `AggregateError`, and of causes. */
const mostEntries = 30;
const mostErrors = 10;
const mostCauses = 8;
const deepest = 4;
/** Maximum number of values and of characters in everything that is shown of one thrown value. */
const mostValues = 300;
const mostCharacters = 32_000;

/**
 * Returns what a log line shows of a thrown value: of an error its type, its message and stack with those of its causes, and its
 * fields. Serves as pino's serializer for `err`. Anything can be thrown, so this never throws, writes nothing to the value, and
 * returns plain JSON of bounded depth and size.
 */
export function shownError(thrown: unknown): unknown {
  try {
    return new Copy().of(thrown, 0);
  } catch {
    return unreadable;
  }
}

/**
 * Returns the message of an error, or the text of anything else that was thrown. Never throws, whatever the value is.
 *
 * @param longest maximum number of characters, default 32,000
 */
export function errorText(thrown: unknown, longest: number = mostCharacters): string {
  try {
    if (typeof thrown !== "object" || thrown === null) return cut(String(thrown), longest);
    const message: unknown = thrown instanceof Error ? thrown.message : String(thrown);
    if (typeof message === "string") return cut(message, longest);
  } catch {
    // A getter, a proxy or an object without a prototype: there is no text.
  }
  return unreadable;
}

/** Reports whether a value is an error whose name, message, stack and cause can be read. */
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
 * Reports whether an error is a mistake in the program rather than something that happened to it. JavaScript throws both; upstream's
 * distinction between a panic and a returned error is drawn here. The engine gives no cause with its errors; a `fetch` that finds no
 * server rejects with a `TypeError` that has one, and is not a mistake.
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

/** V8's words for a write to a frozen object. */
const frozenWrite =
  /^Cannot (?:assign to read only property|add property|delete property|define property|redefine property)\b/;

/** Returns the text for a mistake that was survived; a write to a frozen object names the remedy. */
export function panicText(thrown: unknown): string {
  const text = errorText(thrown);
  const remedy = frozenWrite.test(text) ? ": objects of the cache are frozen, so change a mutableCopy(object)" : "";
  return `panic: ${text}${remedy} [recovered]`;
}

const unreadable = "[cannot be read]";

const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length - longest} more characters)`;

/** One bounded copy of a value. */
class Copy {
  #values = mostValues;
  #characters = mostCharacters;
  /** Objects that contain the one being copied. */
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
    if (isList(value)) return this.#list(value, mostEntries, depth);
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
      ...(isList(errors) ? { aggregateErrors: this.#list(errors, mostErrors, depth) } : {}),
      ...this.#fields(error, ["type", "message", "stack", "cause", "errors", "aggregateErrors"], depth),
    };
  }

  #list(list: readonly unknown[], most: number, depth: number): unknown[] {
    const told = read(list, "length");
    const length = typeof told === "number" ? told : 0;
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

/** An error and those of its causes that look like errors. */
function errorsOf(error: object): readonly object[] {
  const chain: object[] = [];
  let at: unknown = error;
  while (typeof at === "object" && at !== null && chain.length < mostCauses && !chain.includes(at)) {
    if (typeof read(at, "message") !== "string") break;
    chain.push(at);
    at = read(at, "cause");
  }
  return chain;
}

/** The texts without each that the one before contains, as an error's text often ends with that of its cause. */
function unrepeated(texts: readonly string[], part: (text: string) => string = (text) => text): readonly string[] {
  const kept: string[] = [];
  for (const text of texts) if (part(text) === "" || !kept.at(-1)?.includes(part(text))) kept.push(text);
  return kept;
}

const framesOf = (stack: string): string => /\n {4}at [\s\S]*/.exec(stack)?.[0] ?? "";

/** The stack begins with the message, which must not displace the frames however long it is. */
function stackOf(error: object): string {
  const stack = textAt(error, "stack");
  const at = stack.indexOf("\n    at ");
  return at < 0 ? cut(stack, longestText) : cut(stack.slice(0, at), longestText) + cut(stack.slice(at), longestStack);
}

function typeOf(error: object): string {
  const made = read(error, "constructor");
  return textAt(typeof made === "function" ? made : error, "name");
}

/** Names of enumerable fields, inherited ones too, up to the first that cannot be listed. */
function keysOf(value: object): string[] {
  const keys: string[] = [];
  try {
    for (const key in value) {
      keys.push(key);
      if (keys.length >= mostEntries) break;
    }
  } catch {
    // What was listed so far is all there is.
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
