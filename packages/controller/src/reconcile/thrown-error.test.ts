import { isPanic } from "@kubewright/log";
import { expect, it } from "vitest";
import { isCutShort, thrownError } from "./thrown-error.ts";

it("makes an error of anything that is thrown", () => {
  const error = new Error("no");
  expect(thrownError(error)).toBe(error);
  expect([undefined, null, "text", { code: 7 }].map((value) => thrownError(value).message)).toEqual([
    "not an error was thrown, but undefined",
    "not an error was thrown, but null",
    "not an error was thrown, but 'text'",
    "not an error was thrown, but { code: 7 }",
  ]);
});

it("takes no error for a mistake that something else caused", async () => {
  const failed: unknown = await fetch("http://127.0.0.1:1/").catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(TypeError);
  expect(isPanic(failed)).toBe(false);
  const none: { field?: { deeper: string } } = {};
  const mistake = () => (none.field as { deeper: string }).deeper;
  expect(mistake).toThrow(TypeError);
  try {
    mistake();
  } catch (error) {
    expect(isPanic(error)).toBe(true);
  }
});

it("knows what failed because of a signal, wherever in the chain of causes it says so", () => {
  const deposed = Object.assign(new Error("deposed"), { name: "NotLeadingError" });
  const other = Object.assign(new Error("not sent"), { name: "NotLeadingError" });
  const signal = AbortSignal.abort(deposed);
  const abortError = new DOMException("aborted", "AbortError");
  const wrapped = new Error("while reading", { cause: abortError });
  expect([deposed, other, abortError, wrapped].map((error) => isCutShort(error, signal))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(isCutShort(new Error("no"), signal)).toBe(false);
  expect(isCutShort(new Error("no"), AbortSignal.abort(new Error("stop")))).toBe(false);
  expect(isCutShort(abortError, new AbortController().signal)).toBe(false);
});
