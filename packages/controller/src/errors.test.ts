import { isPanic, shownError } from "@kubewright/log";
import { expect, it } from "vitest";
import { recovered, thrownError } from "./errors.ts";

it("makes an error of any thrown value", () => {
  const error = new Error("no");
  expect(thrownError(error)).toBe(error);
  expect([undefined, null, "text", { code: 7 }].map((value) => thrownError(value).message)).toEqual([
    "a value that is not an error was thrown: undefined",
    "a value that is not an error was thrown: null",
    "a value that is not an error was thrown: 'text'",
    "a value that is not an error was thrown: { code: 7 }",
  ]);
});

it("shows a recovered programming error once, with the author's frames first", () => {
  const mistake = new TypeError("x is not a function");
  const error = recovered(mistake);
  expect([error.message, error.cause]).toEqual(["panic: x is not a function [recovered]", mistake]);
  const frames = mistake.stack?.slice(mistake.stack.indexOf("\n    at "));
  expect(shownError(error)).toMatchObject({ message: error.message, stack: `Error: ${error.message}${frames}` });
  const unreadable = Object.defineProperty(new TypeError("x"), "stack", { get: () => 1 });
  expect(recovered(unreadable).message).toBe("panic: x [recovered]");
});

it("does not treat an error with a cause as a programming error", async () => {
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
