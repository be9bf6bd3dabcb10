import { describe, expect, it } from "vitest";
import { CelEnvironment } from "./environment.ts";
import { fromJson, toJson } from "./evaluation/json-value.ts";
import { objectType, plainType } from "./values/decl-type.ts";
import { celType, formatType } from "./values/type.ts";

const request = objectType("kubernetes.AdmissionRequest", {
  name: plainType(celType.string),
  namespace: plainType(celType.string),
});

describe("an environment", () => {
  const environment = CelEnvironment.base.extend({
    variables: { object: celType.dyn, request: request.type },
    types: [request],
  });

  it("knows the fields of declared types", () => {
    const program = environment.compile("request.name + '/' + request.namespace");
    expect(formatType(program.outputType)).toBe("string");
    expect(() => environment.compile("request.nope")).toThrow("undefined field 'nope'");
  });

  it("evaluates with values converted from JSON", () => {
    const { value } = environment
      .compile("object.spec.replicas > 1 && request.name == 'web'")
      .evaluate({ object: fromJson({ spec: { replicas: 2 } }), request: fromJson({ name: "web" }, request) });
    expect(value).toBe(true);
  });

  it("evaluates lazy variables once, and only if needed", () => {
    let calls = 0;
    const object = (): string => {
      calls++;
      return "x";
    };
    expect(
      environment
        .compile("request.name == 'a' || object == object")
        .evaluate({ object, request: fromJson({ name: "a" }, request) }).value,
    ).toBe(true);
    expect(calls).toBe(0);
    environment.compile("object == object").evaluate({ object });
    expect(calls).toBe(1);
  });

  it("returns the variables that a program uses", () => {
    expect([...environment.compile("[1].all(x, x > object)").variables].sort()).toEqual(["@result", "object", "x"]);
  });

  it("does not know the variables of another environment", () => {
    expect(() => CelEnvironment.base.compile("object")).toThrow("undeclared reference to 'object' (in container '')");
  });

  it("reports why a program can never be evaluated", () => {
    expect(environment.compile("int('x')").instantiationError).toBe("type conversion error from 'string' to 'int'");
    expect(environment.compile("'a'.find('(')").instantiationError).toBe(
      "error parsing regexp: missing closing ): `(`",
    );
  });

  it("returns results as JSON", () => {
    const { value } = environment
      .compile("{'a': dyn([1, 2]), 'b': dyn(timestamp('2020-01-01T00:00:00Z'))}")
      .evaluate({});
    expect(toJson(value)).toEqual({ a: [1, 2], b: "2020-01-01T00:00:00Z" });
  });
});

it.each([
  ["claims.email", true],
  ["has(claims.email)", true],
  ["claims.?email.orValue('')", true],
  ["[1].exists(i, claims.email == 'a')", true],
  ["{'a': claims.email.b}", true],
  ["claims.other.email", false],
  ["other.email", false],
  ["claims.?other.hasValue()", false],
  ["other.?email.hasValue()", false],
  ["claims['email'] == 'email'", false],
])("%s selects claims.email: %s", (expression, selects) => {
  const variables = { claims: celType.map(celType.string, celType.dyn), other: celType.dyn };
  expect(CelEnvironment.base.extend({ variables }).compile(expression).selects("claims", "email")).toBe(selects);
});

describe("the environment of an older server", () => {
  it.each([
    [31, "ip('10.0.0.1').family() == 4"],
    [31, "cidr('10.0.0.0/8').containsIP('10.0.0.1')"],
    [31, "isIP('10.0.0.1')"],
    [32, "format.named('dns1123Label').hasValue()"],
    [33, "[1].all(i, v, v > i)"],
    [33, "{'a': 1}.exists(k, v, v > 0)"],
    [33, "{'a': 1}.transformMap(k, v, v + 1).a == 2"],
    [33, "[1].transformList(i, v, i) == [0]"],
    [33, "[1].first().hasValue()"],
    [33, "optional.unwrap([optional.of(1)]) == [1]"],
    [34, "semver('1.0.0').major() == 1"],
    [35, "[2, 1].sort() == [1, 2]"],
    [35, "[2, 1].sortBy(x, -x) == [2, 1]"],
    [35, "[1, 1].distinct() == [1]"],
  ])("accepts from 1.%i on: %s", (minor, expression) => {
    expect(() => CelEnvironment.acceptedBy(minor - 1).compile(expression)).toThrow("undeclared reference");
    expect(CelEnvironment.acceptedBy(minor).compile(expression).evaluate({}).value).toBe(true);
  });

  it.each([
    "'a,b'.split(',').join('') == 'ab' && '%s'.format(['a']) == 'a'",
    "sets.contains([1, 2], [1]) && [1].all(x, x > 0) && [1, 2].map(x, x > 1, x) == [2]",
    "quantity('1k').isGreaterThan(quantity('1')) && [1, 2].sum() == 3 && url('https://a').getHost() == 'a'",
    "optional.of(1).optMap(x, x + 1).orValue(0) == 2 && 'abc'.find('b') == 'b' && type(1) == int",
  ])("accepts %s since 1.30", (expression) => {
    expect(CelEnvironment.acceptedBy(30).compile(expression).evaluate({}).value).toBe(true);
  });
});
