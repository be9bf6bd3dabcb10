import { describe, expect, it } from "vitest";
import { type RequestPart, type RequestStatus, requestUpdateErrors } from "./request-update-validation.ts";

const condition = (type: string, status = "True", lastUpdateTime = "t") => ({ type, status, lastUpdateTime });
const has = (...conditions: RequestStatus["conditions"] & object): RequestStatus => ({ conditions });
const errorsOf = (part: RequestPart, old: RequestStatus, next: RequestStatus): string[] =>
  requestUpdateErrors(next, old, part).map(({ field, detail }) => `${field}: ${detail}`);

describe("the status of a certificate request", () => {
  it("is approved or denied only by /approval", () => {
    for (const type of ["Approved", "Denied"]) {
      expect(errorsOf("approval", {}, has(condition(type)))).toEqual([]);
      expect(errorsOf("status", {}, has(condition(type)))).toEqual([
        `status.conditions: updates may not add a condition of type "${type}"`,
      ]);
    }
    expect(errorsOf("status", has(condition("Approved")), has(condition("Approved", "True", "later")))[0]).toContain(
      "may not modify",
    );
    expect(errorsOf("status", has(condition("Approved")), has(condition("Approved"), condition("Failed")))).toEqual([]);
  });

  it("keeps existing conditions on every endpoint", () => {
    for (const part of ["approval", "status"] as const)
      for (const type of ["Approved", "Denied", "Failed"])
        expect(errorsOf(part, has(condition(type)), {})).toEqual([
          `status.conditions: updates may not remove a condition of type "${type}"`,
        ]);
    expect(errorsOf("status", has(condition("Mine")), {})).toEqual([]);
  });

  it("gets its certificate once, by /status", () => {
    expect(errorsOf("status", {}, { certificate: "a" })).toEqual([]);
    expect(errorsOf("status", { certificate: "a" }, { certificate: "b" })).toEqual([
      "status.certificate: updates may not modify existing certificate content",
    ]);
    expect(errorsOf("status", { certificate: "a" }, { certificate: "a" })).toEqual([]);
    expect(errorsOf("approval", {}, { certificate: "a" })).toEqual([
      "status.certificate: updates may not set certificate content",
    ]);
  });

  it("has one condition per type", () => {
    const both = has(condition("Approved"), condition("Denied"));
    expect(errorsOf("approval", {}, both)).toEqual([
      "status.conditions: Approved and Denied conditions are mutually exclusive",
    ]);
    expect(errorsOf("approval", both, both)).toEqual([]);
    const twice = has(condition("Mine"), condition("Mine"));
    expect(errorsOf("approval", {}, twice)).toEqual(["status.conditions[1].type: "]);
    expect(errorsOf("approval", twice, twice)).toEqual([]);
    expect(errorsOf("approval", {}, has(condition("Approved", "False")))[0]).toContain('supported values: "True"');
    expect(errorsOf("approval", {}, has(condition("Mine", "False")))).toEqual([]);
    expect(errorsOf("approval", {}, has(condition("", "")))).toEqual([
      "status.conditions[0].type: ",
      "status.conditions[0].status: ",
    ]);
  });
});
