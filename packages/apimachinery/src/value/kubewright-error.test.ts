import { describe, expect, it } from "vitest";
import { isErrorWithCode, KubewrightError } from "./kubewright-error.ts";

class LateError extends KubewrightError {
  override readonly name = "LateError";
  readonly code = "ERR_LATE";
}

describe("isErrorWithCode", () => {
  const isLateError = isErrorWithCode<LateError>("ERR_LATE");

  it("accepts an error of the class", () => {
    expect(isLateError(new LateError("too late"))).toBe(true);
  });

  it("accepts an error of another copy of the package", () => {
    expect(isLateError(Object.assign(new Error("too late"), { code: "ERR_LATE" }))).toBe(true);
  });

  it("rejects other errors and values that are not errors", () => {
    expect(isLateError(Object.assign(new Error("gone"), { code: "ERR_GONE" }))).toBe(false);
    expect(isLateError(new Error("gone"))).toBe(false);
    expect(isLateError({ code: "ERR_LATE" })).toBe(false);
    expect(isLateError(undefined)).toBe(false);
  });
});
