import { expect, it } from "vitest";
import { CelEnvironment } from "../environment.ts";
import { objectType, plainType } from "../values/decl-type.ts";
import { celType } from "../values/type.ts";
import { isError } from "../values/value.ts";
import { fromJson, toJson } from "./json-value.ts";

const text = plainType(celType.string);
const thing = objectType("Thing", {
  a: text,
  b: text,
  named: plainType(celType.map(celType.string, celType.string), text),
});

function evaluated(environment: CelEnvironment, expression: string, self: Parameters<typeof toJson>[0]): unknown {
  const { value } = environment.compile(expression).evaluate({ self });
  return isError(value) ? value.message : toJson(value);
}

/** @see cel-go interpreter/attributes.go refQualify: a map's key with a null value exists */
it.each<[string, unknown]>([
  ["self.x", null],
  ["self.x == null", true],
  ["self['x']", null],
  ["has(self.x)", true],
  ["'x' in self", true],
  ["self.?x.hasValue()", true],
  ["self.inner.x == null", true],
  ["self.items[0] == null", true],
  ["self.x.y", "no such key: y"],
  ["self.none", "no such key: none"],
  ["self['none']", "no such key: none"],
  ["has(self.none)", false],
  ["self.?none.hasValue()", false],
])("null in a map is a value: %s", (expression, expected) => {
  const environment = CelEnvironment.base.extend({ variables: { self: celType.dyn } });
  expect(evaluated(environment, expression, fromJson({ x: null, inner: { x: null }, items: [null] }))).toEqual(
    expected,
  );
});

/** @see apiserver pkg/cel/common unstructuredMap Find: in an object with properties, null counts as absent */
it.each<[string, unknown]>([
  ["self.a", "no such key: a"],
  ["has(self.a)", false],
  ["self.?a.hasValue()", false],
  ["has(self.b)", true],
  ["self.b", "here"],
  ["'x' in self.named", true],
  ["dyn(self.named.x) == null", true],
])("null in a declared field counts as absent: %s", (expression, expected) => {
  const environment = CelEnvironment.base.extend({ variables: { self: thing.type }, types: [thing] });
  expect(evaluated(environment, expression, fromJson({ a: null, b: "here", named: { x: null } }, thing))).toEqual(
    expected,
  );
});

/** @see apiserver pkg/cel/common unstructuredMap Equal: compares sizes first, then contents */
it.each<[object, object, boolean]>([
  [{ a: null }, { a: null }, true],
  [{ a: null }, {}, false],
  [{}, { a: null }, false],
  [{ a: null }, { a: "x" }, false],
  [{ a: "x" }, { a: null }, false],
  [{ a: null, b: "x" }, { a: null, b: "x" }, true],
  [{ a: null, b: "x" }, { a: null, b: "y" }, false],
])("objects with null fields are equal, or not: %j, %j", (one, other, expected) => {
  const variables = { self: thing.type, other: thing.type };
  const program = CelEnvironment.base.extend({ variables, types: [thing] }).compile("self == other");
  expect(program.evaluate({ self: fromJson(one, thing), other: fromJson(other, thing) }).value).toBe(expected);
});
