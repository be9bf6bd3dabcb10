import { describe, expect, it } from "vitest";
import { CnfScope, everyNamespace, ownNamespace } from "./cnf-scope.ts";

describe("CnfScope", () => {
  it.each([
    ["same", "a", "a", true],
    ["same", "a", "b", false],
    ["*", "a", "b", true],
    ["b,c", "a", "b", true],
    ["b,c", "a", "c", true],
    ["b,c", "a", "a", false],
    ["same,b", "a", "a", true],
    ["same,b", "a", "b", true],
    ["same,b", "a", "c", false],
  ])("%s: a resource of %s may configure CNFs of %s: %s", (text, resource, cnf, allowed) => {
    expect(CnfScope.from(text).allows(resource, cnf)).toBe(allowed);
    expect(CnfScope.from(text.split(",")).allows(resource, cnf)).toBe(allowed);
  });

  it("gives the flag as reason", () => {
    expect(ownNamespace.reason).toBe(
      "--cnf-namespaces=same allows a resource to configure only CNFs in its own namespace",
    );
    expect(CnfScope.from("b, c").reason).toContain("--cnf-namespaces=b,c ");
    expect(everyNamespace.text).toBe("*");
  });

  it.each(["", ",", "a,", "A", "a/b", "..", "a".repeat(64)])("is not %j", (text) => {
    expect(() => CnfScope.from(text)).toThrow(/must be "same", "\*" or a comma-separated list of namespaces/);
  });

  it("names the value that is not a namespace", () => {
    expect(() => CnfScope.from("a,B")).toThrow('such as "a,b", not "B"');
    expect(() => CnfScope.from([])).toThrow('such as "a,b", not ""');
  });

  it.each(["a", "0-9", "a".repeat(63)])("is %j", (text) => {
    expect(CnfScope.from(text).allows("x", text)).toBe(true);
  });

  it("gives a different reason for a list", () => {
    expect(CnfScope.from("same,b").reason).toBe(
      "--cnf-namespaces=same,b allows a resource to configure only CNFs in these namespaces",
    );
  });
});
