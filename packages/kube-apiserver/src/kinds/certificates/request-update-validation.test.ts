import { describe, expect, it } from "vitest";
import { type RequestPart, type RequestStatus, requestUpdateErrors } from "./request-update-validation.ts";

const condition = (type: string, status = "True", lastUpdateTime = "t") => ({ type, status, lastUpdateTime });
const has = (...conditions: RequestStatus["conditions"] & object): RequestStatus => ({ conditions });
const told = (part: RequestPart, old: RequestStatus, next: RequestStatus): string[] =>
  requestUpdateErrors(next, old, part).map(({ field, detail }) => `${field}: ${detail}`);

describe("the status of a certificate request", () => {
  it("is approved or denied only by /approval", () => {
    for (const type of ["Approved", "Denied"]) {
      expect(told("approval", {}, has(condition(type)))).toEqual([]);
      expect(told("status", {}, has(condition(type)))).toEqual([
        `status.conditions: updates may not add a condition of type "${type}"`,
      ]);
    }
    expect(told("status", has(condition("Approved")), has(condition("Approved", "True", "later")))[0]).toContain(
      "may not modify",
    );
    expect(told("status", has(condition("Approved")), has(condition("Approved"), condition("Failed")))).toEqual([]);
  });

  it("keeps existing conditions on every endpoint", () => {
    for (const part of ["approval", "status"] as const)
      for (const type of ["Approved", "Denied", "Failed"])
        expect(told(part, has(condition(type)), {})).toEqual([
          `status.conditions: updates may not remove a condition of type "${type}"`,
        ]);
    expect(told("status", has(condition("Mine")), {})).toEqual([]);
  });

  it("gets its certificate once, by /status", () => {
    expect(told("status", {}, { certificate: "a" })).toEqual([]);
    expect(told("status", { certificate: "a" }, { certificate: "b" })).toEqual([
      "status.certificate: updates may not modify existing certificate content",
    ]);
    expect(told("status", { certificate: "a" }, { certificate: "a" })).toEqual([]);
    expect(told("approval", {}, { certificate: "a" })).toEqual([
      "status.certificate: updates may not set certificate content",
    ]);
  });

  it("has one condition per type", () => {
    const both = has(condition("Approved"), condition("Denied"));
    expect(told("approval", {}, both)).toEqual([
      "status.conditions: Approved and Denied conditions are mutually exclusive",
    ]);
    expect(told("approval", both, both)).toEqual([]);
    const twice = has(condition("Mine"), condition("Mine"));
    expect(told("approval", {}, twice)).toEqual(["status.conditions[1].type: "]);
    expect(told("approval", twice, twice)).toEqual([]);
    expect(told("approval", {}, has(condition("Approved", "False")))[0]).toContain('supported values: "True"');
    expect(told("approval", {}, has(condition("Mine", "False")))).toEqual([]);
    expect(told("approval", {}, has(condition("", "")))).toEqual([
      "status.conditions[0].type: ",
      "status.conditions[0].status: ",
    ]);
  });
});
