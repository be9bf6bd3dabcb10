import { afterEach, expect, it, vi } from "vitest";
import { defaultLogger } from "./default-logger.ts";

afterEach(() => vi.restoreAllMocks());

const written = (): string[] => {
  const lines: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  return lines;
};

it("does not take long for long runs of spaces", () => {
  const lines = written();
  const spaces = " ".repeat(60_000);
  const start = performance.now();
  defaultLogger().warn(`a${spaces}b ${spaces}\r\n\n c`);
  expect(performance.now() - start).toBeLessThan(3_000);
  expect(lines[0]?.slice(30)).toBe(`a${spaces}b; c\n`);
});

it("writes warnings and errors to standard error in a readable form, one line each", () => {
  const lines = written();
  const log = defaultLogger().child({ controller: "site", namespace: "default", name: "shop", reconcileID: "x" });
  log.info("starting workers");
  log.warn({ kind: "v1, Kind=Pod", seen: 5, nothing: undefined }, "went back in time");
  log.error({ err: new Error("outer", { cause: new Error("refused\nby\u001b[2J them") }) }, "reconciler error");

  expect(lines).toEqual([
    expect.stringMatching(
      /^\d{4}-\d\d-\d\dT\S+Z WARN went back in time controller=site kind="v1, Kind=Pod" seen=5 object=default\/shop\n$/,
    ),
    expect.stringMatching(
      /Z ERROR reconciler error: outer: refused; by\\u001b\[2J them controller=site object=default\/shop\n$/,
    ),
  ]);
});

it("prints the stack frames of a mistake in the program", () => {
  const lines = written();
  defaultLogger().error({ err: new TypeError("x is not a function") }, "reconciler error");
  const recovered = new Error("panic: no\u001b[2J [recovered]");
  defaultLogger().error({ err: recovered }, "reconciler error");
  defaultLogger().error({ err: new Error("refused") }, "reconciler error");
  const frame = "\\n {4}at .*default-logger\\.test\\.ts:\\d+:\\d+.*\\n";
  expect(lines[0]).toMatch(new RegExp(`ERROR reconciler error: TypeError: x is not a function${frame}`));
  expect(lines[1]).toMatch(new RegExp(`ERROR reconciler error: panic: no\\\\u001b\\[2J \\[recovered\\]${frame}`));
  expect(lines[2]).toMatch(/ERROR reconciler error: refused\n$/);
  for (const line of lines) expect(line.split("\n").length).toBeLessThan(23);
});

it("does not repeat the message of a cause, and shortens long messages", () => {
  const lines = written();
  const cause = new Error("pods is forbidden: no");
  defaultLogger().error({ err: new Error(`failed to list: ${cause.message}`, { cause }) }, "failed to watch");
  defaultLogger().error({ err: new Error("x".repeat(100_000)) }, "failed to watch");
  expect(lines[0]).toMatch(/ERROR failed to watch: failed to list: pods is forbidden: no\n$/);
  expect(lines[1]?.length).toBeLessThan(2_100);
});

it("is created once", () => {
  expect(defaultLogger()).toBe(defaultLogger());
});
