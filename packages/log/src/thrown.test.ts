import { describe, expect, it } from "vitest";
import { createLogger, safeLogger } from "./logger.ts";
import { errorText, isPanic, isReadableError, panicText, shownError } from "./thrown.ts";

const fails = (): never => {
  throw new Error("a getter threw");
};

const withGetter = (key: string): Error => Object.defineProperty(new Error("x"), key, { get: fails, enumerable: true });

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const circular = (): Error => {
  const [one, two] = [new Error("one"), new Error("two")];
  one.cause = two;
  two.cause = one;
  return Object.assign(one, { self: one });
};

const endless = (): Error => {
  const error = new Error("again");
  Object.defineProperty(error, "cause", { get: endless });
  return error;
};

const chainOf = (length: number): Error => {
  let error = new Error("innermost");
  for (let i = 0; i < length; i++) error = new Error(`level ${i}`, { cause: error });
  return error;
};

const traps = ["get", "getPrototypeOf", "has", "ownKeys", "getOwnPropertyDescriptor"];
const trapped = (): object => new Proxy(new Error("target"), Object.fromEntries(traps.map((trap) => [trap, fails])));

const nested = (depth: number): object => (depth === 0 ? {} : { deeper: nested(depth - 1) });

/** Values that are difficult to log. */
const hostile: Record<string, () => unknown> = {
  "a frozen error": () => Object.freeze(new Error("frozen")),
  "a sealed error": () => Object.seal(new Error("sealed")),
  "an error with a frozen cause": () => new Error("outer", { cause: Object.freeze(new Error("frozen")) }),
  "a throwing message": () => withGetter("message"),
  "a throwing stack": () => withGetter("stack"),
  "a throwing cause": () => withGetter("cause"),
  "a throwing name": () => withGetter("name"),
  "a throwing constructor": () => withGetter("constructor"),
  "a throwing field": () => withGetter("code"),
  "throwing errors": () => withGetter("errors"),
  "a throwing toJSON": () => Object.assign(new Error("x"), { toJSON: fails }),
  "a field with a throwing toJSON": () => Object.assign(new Error("x"), { field: { toJSON: fails } }),
  "a toJSON that always returns another one": () => {
    const again = (): object => ({ toJSON: again });
    return again();
  },
  "a message that is not a string": () => Object.assign(new Error("x"), { message: { a: 1 }, stack: 7n, name: null }),
  "circular causes": circular,
  "endless causes": endless,
  "a long chain of causes": () => chainOf(20_000),
  "many errors": () =>
    new AggregateError(
      Array.from({ length: 5_000 }, (_, i) => new Error(`part ${i}`)),
      "many",
    ),
  "errors within errors": () => {
    let error = new AggregateError([], "innermost");
    for (let i = 0; i < 12; i++) error = new AggregateError([error, error, error, error], `level ${i}`);
    return error;
  },
  "a proxy as errors": () => Object.assign(new Error("x"), { errors: new Proxy([], { get: fails }) }),
  "a very long message": () => new Error("m".repeat(5_000_000)),
  "a very long stack": () => Object.assign(new Error("x"), { stack: `Error: x\n    at ${"s".repeat(5_000_000)}` }),
  "very many fields": () =>
    Object.assign(new Error("x"), Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`field${i}`, i]))),
  "a long field name": () => Object.assign(new Error("x"), { ["k".repeat(1_000_000)]: 1 }),
  "a deep field": () => Object.assign(new Error("x"), { field: nested(5_000) }),
  "a BigInt field": () => Object.assign(new Error("x"), { size: 7n }),
  "a long BigInt": () => 7n ** 90_000n,
  "a Buffer": () => Object.assign(new Error("x"), { body: Buffer.alloc(1_000_000) }),
  "a revoked proxy": revoked,
  "a revoked proxy as cause": () => new Error("x", { cause: revoked() }),
  "a revoked proxy as field": () => Object.assign(new Error("x"), { field: revoked() }),
  "a proxy that throws": trapped,
  "a function with a throwing name": () => Object.defineProperty(() => {}, "name", { get: fails }),
  null: () => null,
  undefined: () => undefined,
  "a symbol": () => Symbol("s"),
  "a long symbol": () => Symbol("s".repeat(1_000_000)),
  "a string": () => "text",
  "a long string": () => "t".repeat(5_000_000),
  "a function": () => fails,
  "a number": () => Number.NaN,
  "an object without a prototype": () => Object.create(null),
  "an object with a throwing toString": () => ({ toString: fails }),
  "an object with a __proto__ field": () => JSON.parse('{"__proto__":{"message":"x"},"toJSON":1}'),
};

describe.each(Object.entries(hostile))("of %s", (_, make) => {
  it("has JSON of limited size and throws nothing", () => {
    const text = JSON.stringify({ err: shownError(make()) });
    expect(text.length).toBeLessThan(80_000);
    expect(() => JSON.parse(text)).not.toThrow();
  });

  it("has a text of limited length and throws nothing", () => {
    const thrown = make();
    expect(errorText(thrown).length).toBeLessThan(33_000);
    expect([true, false]).toContain(isReadableError(thrown));
    expect(isPanic(thrown)).toBe(false);
  });

  it("can be logged by a program's logger and its children", () => {
    const lines: string[] = [];
    const log = createLogger({ destination: { write: (line) => lines.push(line) } });
    log.error({ err: make() }, "failed");
    log.child({ err: make() }).error({ controller: "site" }, "failed");
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["failed", "failed"]);
    expect(safeLogger(log)).toBe(log);
  });
});

describe("shownError", () => {
  it("includes the messages and stacks of the causes", () => {
    const error = new TypeError("outer", { cause: new RangeError("inner", { cause: "no error" }) });
    expect(shownError(error)).toMatchObject({
      type: "TypeError",
      message: "outer: inner",
      stack: expect.stringMatching(/^TypeError: outer\n {4}at .*\ncaused by: RangeError: inner\n {4}at /s),
    });
  });

  it("does not repeat text that an error contains of its cause", () => {
    const cause = new TypeError("x is not a function");
    const outer = new Error(`panic: ${cause.message} [recovered]`, { cause });
    expect(shownError(outer)).toMatchObject({ message: "panic: x is not a function [recovered]" });
    outer.stack = cause.stack?.replace("TypeError: x", "Error: panic: x") ?? "";
    expect(shownError(outer)).toMatchObject({ stack: outer.stack });
    expect(shownError(new Error("a", { cause: new Error("b", { cause: new Error("a") }) }))).toMatchObject({
      message: "a: b: a",
    });
  });

  it("includes fields, and the errors of an AggregateError", () => {
    const at = new Date(0);
    const error = Object.assign(new AggregateError([new Error("a"), "b"], "both"), {
      code: 7,
      at,
      size: 5n,
      list: [1],
    });
    expect(shownError(error)).toEqual({
      type: "AggregateError",
      message: "both",
      stack: expect.stringContaining("AggregateError: both"),
      aggregateErrors: [expect.objectContaining({ type: "Error", message: "a" }), "b"],
      code: 7,
      at: "1970-01-01T00:00:00.000Z",
      size: "5",
      list: [1],
    });
  });

  it("shows a circular object once, and an object in two places twice", () => {
    const part = { a: 1 };
    const whole: Record<string, unknown> = { one: part, two: part };
    whole.self = whole;
    expect(shownError(whole)).toEqual({ one: { a: 1 }, two: { a: 1 }, self: "[circular]" });
  });

  it("shows how much it omits, and keeps the frames of an error with a long message", () => {
    const many = shownError(new AggregateError(Array.from({ length: 12 }), "many"));
    expect(many).toMatchObject({ aggregateErrors: [...Array.from({ length: 10 }), "… and 2 more"] });
    const long = JSON.stringify(shownError(new Error("m".repeat(9_000))));
    expect(long).toContain("… (5000 more characters)");
    expect(long).toContain("thrown.test.ts");
  });

  it("does not modify the thrown value", () => {
    const writes: PropertyKey[] = [];
    const note = (_: object, key: PropertyKey): boolean => writes.push(key) > 0;
    shownError(new Proxy(new Error("x"), { set: note, defineProperty: note, deleteProperty: note }));
    expect(writes).toEqual([]);
  });
});

it("treats mistakes in the program as panics, but not errors with a cause", () => {
  expect([new TypeError("x"), new RangeError("x"), new ReferenceError("x")].map(isPanic)).toEqual([true, true, true]);
  expect([new Error("x"), new TypeError("x", { cause: 1 }), "x"].map(isPanic)).toEqual([false, false, false]);
});

it("says what to do about a write to a frozen object", () => {
  const frozen: Record<string, unknown> = Object.freeze({ a: 1, list: Object.freeze([1]) });
  const writes: readonly (() => unknown)[] = [
    () => Object.assign(frozen, { a: 2 }),
    () => Object.assign(frozen, { b: 2 }),
    () => Reflect.apply(Array.prototype.push, frozen.list, [2]),
    () => delete frozen.a,
    () => Object.defineProperty(frozen, "c", {}),
    () => Object.defineProperty(frozen, "a", { get: () => 2 }),
  ];
  const texts = writes.map((write) => {
    try {
      write();
      return "";
    } catch (error) {
      return panicText(error);
    }
  });
  for (const text of texts)
    expect(text).toMatch(
      /^panic: Cannot .*: objects in the cache are frozen; modify a mutableCopy\(object\) instead \[recovered\]$/,
    );
  expect(panicText(new TypeError("x is not a function"))).toBe("panic: x is not a function [recovered]");
});

it("accepts an error with readable fields", () => {
  expect(isReadableError(Object.freeze(new Error("x")))).toBe(true);
  expect(isReadableError(Object.assign(new Error("x"), { stack: undefined }))).toBe(true);
  for (const key of ["message", "stack", "cause", "name"]) expect(isReadableError(withGetter(key))).toBe(false);
  expect(isReadableError({ message: "x" })).toBe(false);
});
