import { describe, expect, it } from "vitest";
import {
  labelSelectorFrom,
  labelSelectorFromLabels,
  ParsedLabelSelector,
  parseLabelSelector,
} from "./label-selector.ts";

const problem = (text: string): string => {
  try {
    return `none: ${parseLabelSelector(text)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe("what a label selector matches", () => {
  it.each([
    ["a=b", { a: "b" }, true],
    ["a==b", { a: "c" }, false],
    ["a!=b", {}, true],
    ["a!=b", { a: "b" }, false],
    ["a in (x, y)", { a: "y" }, true],
    ["a in (x,y)", {}, false],
    ["a notin (x,y)", {}, true],
    ["a notin (x,y)", { a: "x" }, false],
    ["a", { a: "" }, true],
    ["!a", { a: "" }, false],
    ["!a", { b: "" }, true],
    ["a>5", { a: "6" }, true],
    ["a>5", { a: "x" }, false],
    ["a<5", { a: "4" }, true],
    ["a<5", {}, false],
    ["a=,b", { a: "", b: "1" }, true],
    ["a=b,c=d", { a: "b" }, false],
    ["in in (in)", { in: "in" }, true],
    ["a in ()", { a: "" }, true],
    ["toString", {}, false],
    ["", {}, true],
  ])("%s on %o: %s", (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected);
  });
});

describe("the text form", () => {
  it.each([
    ["x in (b,a,b),  y", "x in (a,b),y"],
    ["b=1,a=2", "a=2,b=1"],
    ["x==1,!y,z>3,w<4,v!=q,u notin (r)", "u notin (r),v!=q,w<4,x==1,!y,z>3"],
    ["a in (,b)", "a in (,b)"],
  ])("of %s is %s", (text, canonical) => {
    expect(parseLabelSelector(text).toString()).toBe(canonical);
    expect(parseLabelSelector(canonical).toString()).toBe(canonical);
  });
});

describe("errors have the API server's messages", () => {
  it.each([
    ["a!b", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
    ["!!a", "unable to parse requirement: found '!', expected: identifier"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a in x", "unable to parse requirement: found 'x' expected: '('"],
    ["a,", "found '', expected: identifier after ','"],
    ["a,,b", "found ',', expected: identifier after ','"],
    [
      "a>x",
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ["=x", "found '=', expected: !, identifier, or 'end of string'"],
    ["a===b", "unable to parse requirement: found '=', expected: identifier"],
    ["a in (x", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (x y)", "unable to parse requirement: found 'y', expected: ',' or ')'"],
    ["a=b c", "found 'c', expected: ',' or 'end of string'"],
    ["a=(", "unable to parse requirement: found '(', expected: identifier"],
    ["a notin ", "unable to parse requirement: found '' expected: '('"],
    [">", "found '>', expected: !, identifier, or 'end of string'"],
  ])("%s", (text, message) => {
    expect(problem(text)).toBe(message);
  });

  it("show the invalid value of a label and its rule", () => {
    expect(problem("a=-x")).toBe(
      `unable to parse requirement: values[0][a]: Invalid value: "-x": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    );
    expect(problem("&=1")).toMatch(
      /^unable to parse requirement: <nil>: Invalid value: "&": name part must consist of/,
    );
  });
});

describe("a selector in an object", () => {
  it("selects everything when empty and nothing when absent", () => {
    expect(labelSelectorFrom({}).matches({})).toBe(true);
    expect(labelSelectorFrom({}).isEmpty).toBe(true);
    expect(labelSelectorFrom(undefined).matches({})).toBe(false);
    expect(labelSelectorFrom(undefined).isEmpty).toBe(false);
    expect(ParsedLabelSelector.everything.matches(undefined)).toBe(true);
  });

  it("joins labels and expressions", () => {
    const selector = labelSelectorFrom({
      matchLabels: { app: "web" },
      matchExpressions: [
        { key: "tier", operator: "NotIn", values: ["db"] },
        { key: "zone", operator: "Exists" },
        { key: "old", operator: "DoesNotExist" },
      ],
    });
    expect(selector.toString()).toBe("app=web,!old,tier notin (db),zone");
    expect(selector.matches({ app: "web", zone: "a" })).toBe(true);
    expect(selector.matches({ app: "web", zone: "a", old: "" })).toBe(false);
  });

  it("rejects unknown operators", () => {
    expect(() => labelSelectorFrom({ matchExpressions: [{ key: "a", operator: "Gt" }] })).toThrow(
      '"Gt" is not a valid label selector operator',
    );
  });

  it("can be made from labels", () => {
    expect(labelSelectorFromLabels({ b: "2", a: "1" }).toString()).toBe("a=1,b=2");
  });
});

it("a selector with too many requirements is rejected before all of them are parsed", () => {
  expect(parseLabelSelector("a,".repeat(9_999).concat("a")).requirements).toHaveLength(10_000);
  expect(() => parseLabelSelector("a,".repeat(10_000).concat("a"))).toThrow("found more than 10000 requirements");
});
