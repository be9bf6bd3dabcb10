import { expect, it } from "vitest";
import { createLogger, silentLogger } from "./logger.ts";

const collect = (level?: "debug" | "info"): { lines: string[]; log: ReturnType<typeof createLogger> } => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, log: createLogger(level ? { level, destination } : { destination }) };
};

it("leaves out what is below its level", () => {
  const usual = collect();
  usual.log.debug("no");
  expect(usual.lines).toEqual([]);
  const verbose = collect("debug");
  verbose.log.debug("yes");
  expect(JSON.parse(verbose.lines[0] ?? "")).toMatchObject({ level: "debug", msg: "yes" });
});

it("takes undefined for what is not given", () => {
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

it("says nothing when silent", () => {
  expect(silentLogger.isLevelEnabled("fatal")).toBe(false);
});
