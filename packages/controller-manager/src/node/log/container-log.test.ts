import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { ContainerLog, type LogQuery } from "./container-log.ts";

const never = new AbortController().signal;

async function all(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const list: Buffer[] = [];
  for await (const piece of pieces) list.push(piece);
  return Buffer.concat(list);
}

async function text(log: ContainerLog, query: LogQuery = {}): Promise<string> {
  return (await all(log.read(query, never))).toString();
}

it("keeps lines as written, in one piece or several", async () => {
  const log = new ContainerLog({ clock: new FakeClock() });
  log.write("one\nt");
  log.write("problem\n", "stderr");
  log.write("wo\n\nlast");
  expect(await text(log)).toBe("one\nproblem\ntwo\n\n");
  log.end();
  log.write("nobody is left to write this\n");
  expect(await text(log)).toBe("one\nproblem\ntwo\n\nlast");
});

it("returns the last lines, lines since a time, and a maximum of bytes", async () => {
  const clock = new FakeClock();
  const log = new ContainerLog({ clock });
  for (const line of ["a\n", "b\n", "c\n"]) {
    log.write(line);
    await clock.advance(1_500);
  }
  expect(await text(log, { tailLines: 2 })).toBe("b\nc\n");
  expect(await text(log, { tailLines: 0 })).toBe("");
  expect(await text(log, { tailLines: 9 })).toBe("a\nb\nc\n");
  expect(await text(log, { sinceMs: clock.now() - 3_000 })).toBe("b\nc\n");
  expect(await text(log, { tailLines: 1, sinceMs: clock.now() - 3_000 })).toBe("c\n");
  expect(await text(log, { limitBytes: 3 })).toBe("a\nb");
});

it("prefixes lines with the time, once for a line longer than an entry", async () => {
  const log = new ContainerLog({ clock: new FakeClock(Date.UTC(2026, 0, 2, 3, 4, 5, 60)) });
  log.write(`${"x".repeat(40_000)}\nshort\n`);
  const time = "2026-01-02T03:04:05.060000000Z";
  expect(await text(log, { timestamps: true })).toBe(`${time} ${"x".repeat(40_000)}\n${time} short\n`);
});

it("follows until the container ends or the reader stops", async () => {
  const log = new ContainerLog({ clock: new FakeClock() });
  log.write("before\n");
  const reader = new AbortController();
  const whole = all(log.read({ follow: true, tailLines: 0 }, never));
  const begun = all(log.read({ follow: true }, reader.signal));
  for (let i = 0; i < 3; i++) {
    log.write(`line ${i}\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  reader.abort();
  expect((await begun).toString()).toBe("before\nline 0\nline 1\nline 2\n");
  log.write("after\n");
  log.end();
  expect((await whole).toString()).toBe("line 0\nline 1\nline 2\nafter\n");
});

it("without follow, ends at the state when it was requested", async () => {
  const log = new ContainerLog({ clock: new FakeClock() });
  for (let i = 0; i < 20_000; i++) log.write(`line ${i}\n`);
  const seen: string[] = [];
  for await (const piece of log.read({}, never)) {
    seen.push(piece.toString());
    log.write("meanwhile\n");
  }
  expect(seen.join("")).not.toContain("meanwhile");
});

it("keeps the newest of endless output, and slow readers continue there", async () => {
  const log = new ContainerLog({ clock: new FakeClock(), maxBytes: 100_000 });
  log.write("the first\n");
  const slow = log.read({ follow: true }, never);
  expect(String((await slow.next()).value)).toBe("the first\n");
  for (let i = 0; i < 200_000; i++) log.write(`line ${i}\n`);
  log.end();
  const kept = await text(log);
  expect(kept.length).toBeLessThan(100_000);
  expect(kept).toMatch(/^line \d+\n/);
  expect(kept.endsWith("line 199999\n")).toBe(true);
  expect((await all(slow)).toString()).toBe(kept);
});

it("does not keep a line that never ends", async () => {
  const log = new ContainerLog({ clock: new FakeClock(), maxBytes: 100_000 });
  for (let i = 0; i < 1_000; i++) log.write("x".repeat(1_000));
  log.end();
  const { length } = await text(log);
  expect(length).toBeGreaterThan(50_000);
  expect(length).toBeLessThan(100_000);
});
