import { describe, expect, it } from "vitest";
import { CelEnvironment } from "../environment.ts";
import { toJson } from "../evaluation/json-value.ts";
import { jsonPatch } from "../library/json-patch.ts";
import { misplacedTypes, mutationTypes } from "./mutation-types.ts";

const environment = CelEnvironment.base.extend({ structs: mutationTypes, functions: jsonPatch });
const evaluate = (expression: string) => environment.compile(expression).evaluate({}).value;

describe("the types of mutating policies", () => {
  it("create objects", () => {
    const value = evaluate("Object{spec: Object.spec{replicas: 3, names: ['a']}}");
    expect(toJson(value)).toEqual({ spec: { replicas: 3, names: ["a"] } });
    expect(misplacedTypes(value)).toEqual([]);
  });

  it("must be named by their position", () => {
    expect(misplacedTypes(evaluate("Object{spec: Object.status{x: 1}}"))).toEqual([
      'unexpected type name "Object.status", expected "Object.spec", which matches field name path from root Object type',
    ]);
  });

  it("create patches", () => {
    const value = evaluate(
      "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b~c'), value: 'x'}]",
    );
    expect(toJson(value)).toEqual([{ op: "add", path: "/metadata/labels/a~1b~0c", value: "x" }]);
  });

  it("know the members of a patch", () => {
    expect(() => environment.compile("JSONPatch{nope: 1}")).toThrow("undefined field 'nope'");
    expect(() => environment.compile("JSONPatch{op: 1}")).toThrow(
      "expected type of field 'op' is 'string' but provided type is 'int'",
    );
  });
});
