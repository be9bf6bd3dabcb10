import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { expect, it } from "vitest";
import { terminalInput, terminalOutput } from "./terminal.ts";

/** Types text in a terminal. @returns what the process reads, what the screen shows, and the signals that were sent */
async function typed(...keys: readonly (string | Buffer)[]) {
  const screen = new PassThrough();
  const signals: string[] = [];
  const input = terminalInput({ screen, interrupt: (signal) => signals.push(signal) });
  const read: string[] = [];
  input.on("data", (line) => read.push(String(line)));
  for (const key of keys) input.write(key);
  input.end();
  await finished(input);
  return { read: read.join("|"), shown: String(screen.read() ?? ""), signals };
}

it.each([
  ["passes whole lines and shows them", ["ls", " -l\r", "pwd\n"], "ls -l\n|pwd\n", "ls -l\r\npwd\r\n"],
  ["erases characters, but not beyond the line", ["ax\x7f\x7f\x7f\x7fb\bc\r"], "c\n", "ax\b \b\b \bb\b \bc\r\n"],
  ["erases a character of several bytes at once", ["aé€\x7f\x7f\r"], "a\n", "aé€\b \b\b \b\r\n"],
  ["erases the line after Ctrl-U", ["abc\x15d\r"], "d\n", "abc\b \b\b \b\b \bd\r\n"],
  ["passes an incomplete line after Ctrl-D", ["ab\x04c\r"], "ab|c\n", "abc\r\n"],
  ["ends after Ctrl-D at the beginning of a line", ["ab\r\x04c\r", "d\r"], "ab\n", "ab\r\n"],
  ["passes an incomplete line when the client ends", ["a"], "a", "a"],
  ["shows control characters", ["\x1b[A\t\r"], "\x1b[A\t\n", "^[[A\t\r\n"],
])("%s", async (_, keys, read, shown) => {
  expect(await typed(...keys)).toEqual({ read, shown, signals: [] });
});

it("sends signals after Ctrl-C and Ctrl-\\, and forgets the line", async () => {
  const { read, shown, signals } = await typed("abc\x03d\r", "\x1c");
  expect([read, shown, signals]).toEqual(["d\n", "abc^C\r\nd\r\n^\\\r\n", ["SIGINT", "SIGQUIT"]]);
});

it("drops the characters of a line that is too long", async () => {
  const { read, shown } = await typed("x".repeat(4_097), "\r");
  expect([read, shown]).toEqual([`${"x".repeat(4_095)}\n`, `${"x".repeat(4_095)}\x07\x07\r\n`]);
});

it("waits for a client that does not receive its characters", async () => {
  const screen = new PassThrough({ highWaterMark: 1 });
  const input = terminalInput({ screen, interrupt: () => {} });
  const isDone: boolean[] = [];
  input.write("abc", () => isDone.push(true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isDone).toEqual([]);
  screen.resume();
  await expect.poll(() => isDone).toEqual([true]);
});

it("returns to the beginning of each line of output", async () => {
  const output = terminalOutput();
  output.end("one\ntwö\n");
  expect(Buffer.concat(await output.toArray()).toString()).toBe("one\r\ntwö\r\n");
});
