import { type LoggerOptions, pino } from "pino";
import { describe, expect, it } from "vitest";
import { createLogger, type Logger, safeLogger, silentLogger } from "./logger.ts";

const collect = (level?: "debug" | "info"): { lines: string[]; log: ReturnType<typeof createLogger> } => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, log: createLogger(level ? { level, destination } : { destination }) };
};

it("omits lines below its level", () => {
  const usual = collect();
  usual.log.debug("no");
  expect(usual.lines).toEqual([]);
  const verbose = collect("debug");
  verbose.log.debug("yes");
  expect(JSON.parse(verbose.lines[0] ?? "")).toMatchObject({ level: "debug", msg: "yes" });
});

it("treats undefined as absent", () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ level: undefined, bindings: undefined, destination });
  log.debug("no");
  log.info("yes");
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["yes"]);
  expect(createLogger({ destination: undefined }).level).toBe("info");
});

it("shows errors with type, message and stack", () => {
  const { lines, log } = collect();
  log.error({ err: new TypeError("oops") }, "failed");
  expect(JSON.parse(lines[0] ?? "").err).toMatchObject({
    type: "TypeError",
    message: "oops",
    stack: expect.stringContaining("oops"),
  });
});

it("writes nothing if silent", () => {
  expect(silentLogger.isLevelEnabled("fatal")).toBe(false);
});

describe("safeLogger", () => {
  const fails = (): never => {
    throw new Error("no");
  };
  const given = (options: LoggerOptions): { lines: Record<string, unknown>[]; log: Logger } => {
    const lines: Record<string, unknown>[] = [];
    return { lines, log: pino({ ...options, base: null }, { write: (line) => lines.push(JSON.parse(line)) }) };
  };
  const frozen = Object.freeze(new Error("frozen"));

  it("logs values with which pino's own serializer fails", () => {
    const { lines, log } = given({});
    expect(() => log.error({ err: frozen }, "failed")).toThrow(TypeError);
    safeLogger(log).child({ name: "a" }).error({ err: frozen }, "failed");
    safeLogger(log).error(frozen);
    expect(lines).toMatchObject([
      { name: "a", err: { message: "frozen" } },
      { err: { message: "frozen" }, msg: "frozen" },
    ]);
  });

  it("keeps a program's serializers and formatter, and replaces their output if they throw", () => {
    const err = (error: Error) => (error === frozen ? fails() : { text: error.message });
    const { lines, log } = given({
      errorKey: "error",
      serializers: { err, error: fails, object: () => "object" },
      formatters: { log: (line) => ("bad" in line ? fails() : { ...line, formatted: true }) },
    });
    const safe = safeLogger(log);
    safe.error({ err: new Error("x"), object: {} }, "one");
    safe.error({ err: frozen, bad: true }, "two");
    safe.error(frozen, "three");
    expect(lines).toMatchObject([
      { msg: "one", err: { text: "x" }, object: "object", formatted: true },
      { msg: "two", err: { message: "frozen" }, bad: true },
      { msg: "three", error: { message: "frozen" }, formatted: true },
    ]);
    expect(lines[1]).not.toHaveProperty("formatted");
  });

  it("follows the level of the original logger, and is created only once", () => {
    const { lines, log } = given({ level: "info" });
    const safe = safeLogger(log);
    expect([safeLogger(log), safeLogger(safe), safeLogger(safe.child({ a: 1 })) === safe]).toEqual([safe, safe, false]);
    const child = safe.child({ a: 1 });
    expect(safeLogger(child)).toBe(child);
    log.level = "silent";
    safe.error("not written");
    expect(lines).toEqual([]);
    const own = safe.child({}, { serializers: { err: fails } });
    log.level = "info";
    safeLogger(own).error({ err: frozen }, "written");
    expect(lines).toMatchObject([{ msg: "written", err: { message: "frozen" } }]);
  });
});
