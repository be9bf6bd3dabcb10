import { describe, expect, it } from "vitest";
import { CelCompileError, CelEnvironment } from "./environment.ts";
import { kubernetesTypes } from "./library/kubernetes-types.ts";
import { celType } from "./values/type.ts";

const environment = CelEnvironment.base.extend({
  variables: { self: celType.dyn, authorizer: kubernetesTypes.authorizer },
});

function problemOf(expression: string): string {
  try {
    environment.compile(expression);
  } catch (error) {
    if (error instanceof CelCompileError) return error.message;
    throw error;
  }
  return "";
}

/** Expressions with kube-apiserver's errors. */
const wrong: readonly (readonly [string, string])[] = [
  ["self.", "ERROR: <input>:1:6: Syntax error: no viable alternative at input '.'\n | self.\n | .....^"],
  ["1 2 3", "ERROR: <input>:1:3: Syntax error: mismatched input '2' expecting <EOF>\n | 1 2 3\n | ..^"],
  ["[1, 2,", "ERROR: <input>:1:7: Syntax error: missing ']' at '<EOF>'\n | [1, 2,\n | ......^"],
  ["(1", "ERROR: <input>:1:3: Syntax error: missing ')' at '<EOF>'\n | (1\n | ..^"],
  [
    "foo(1,",
    "ERROR: <input>:1:7: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | foo(1,\n | ......^",
  ],
  [
    "-)",
    "ERROR: <input>:1:2: Syntax error: no viable alternative at input '-)'\n | -)\n | .^\nERROR: <input>:1:2: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | -)\n | .^",
  ],
  [
    "self.true",
    "ERROR: <input>:1:6: Syntax error: mismatched input 'true' expecting IDENTIFIER\n | self.true\n | .....^",
  ],
  [
    "'abc",
    "ERROR: <input>:1:1: Syntax error: token recognition error at: ''abc'\n | 'abc\n | ^\nERROR: <input>:1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 'abc\n | ....^",
  ],
  [
    "#",
    "ERROR: <input>:1:1: Syntax error: token recognition error at: '#'\n | #\n | ^\nERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | #\n | .^",
  ],
  [
    "a || b",
    "ERROR: <input>:1:1: undeclared reference to 'a' (in container '')\n | a || b\n | ^\nERROR: <input>:1:6: undeclared reference to 'b' (in container '')\n | a || b\n | .....^",
  ],
  ["self.x.y()", "ERROR: <input>:1:9: undeclared reference to 'y' (in container '')\n | self.x.y()\n | ........^"],
  [
    "&& true",
    "ERROR: <input>:1:1: Syntax error: extraneous input '&&' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | && true\n | ^",
  ],
  ["{1:2 3:4}", "ERROR: <input>:1:6: Syntax error: mismatched input '3' expecting {'}', ','}\n | {1:2 3:4}\n | .....^"],
  [
    "a[]",
    "ERROR: <input>:1:3: Syntax error: mismatched input ']' expecting {'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | a[]\n | ..^",
  ],
  ["size()", "ERROR: <input>:1:5: found no matching overload for 'size' applied to '()'\n | size()\n | ....^"],
  [
    "self.all(x.y, true)",
    "ERROR: <input>:1:11: argument must be a simple name\n | self.all(x.y, true)\n | ..........^",
  ],
  [
    "[1].existsOne(x, x == 1)",
    "ERROR: <input>:1:14: undeclared reference to 'existsOne' (in container '')\n | [1].existsOne(x, x == 1)\n | .............^\nERROR: <input>:1:15: undeclared reference to 'x' (in container '')\n | [1].existsOne(x, x == 1)\n | ..............^\nERROR: <input>:1:18: undeclared reference to 'x' (in container '')\n | [1].existsOne(x, x == 1)\n | .................^",
  ],
  [
    "in",
    "ERROR: <input>:1:1: Syntax error: mismatched input 'in' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | in\n | ^\nERROR: <input>:1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | in\n | ..^",
  ],
  ["9223372036854775808", "ERROR: <input>:1:1: invalid int literal\n | 9223372036854775808\n | ^"],
  ["1.5e400", "ERROR: <input>:1:1: invalid double literal\n | 1.5e400\n | ^"],
  ['"\\ud800"', 'ERROR: <input>:1:1: invalid unicode code point\n | "\\ud800"\n | ^'],
  [
    '1 + "a"',
    "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'\n | 1 + \"a\"\n | ..^",
  ],
  [
    "1 == 1.0",
    "ERROR: <input>:1:3: found no matching overload for '_==_' applied to '(int, double)'\n | 1 == 1.0\n | ..^",
  ],
  ['[1, "a"]', "ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, \"a\"]\n | ....^"],
  ['[dyn(1), "a"]', "ERROR: <input>:1:10: expected type 'dyn' but found 'string'\n | [dyn(1), \"a\"]\n | .........^"],
  ['timestamp("x")', 'ERROR: <input>:1:11: invalid timestamp argument\n | timestamp("x")\n | ..........^'],
  ["x", "ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^"],
  ["foo()", "ERROR: <input>:1:4: undeclared reference to 'foo' (in container '')\n | foo()\n | ...^"],
  ["1()", "ERROR: <input>:1:2: Syntax error: mismatched input '(' expecting <EOF>\n | 1()\n | .^"],
  ["true.foo", "ERROR: <input>:1:5: type 'bool' does not support field selection\n | true.foo\n | ....^"],
  [
    'true ? 1 : "a"',
    "ERROR: <input>:1:6: found no matching overload for '_?_:_' applied to '(bool, int, string)'\n | true ? 1 : \"a\"\n | .....^",
  ],
  ["!1", "ERROR: <input>:1:1: found no matching overload for '!_' applied to '(int)'\n | !1\n | ^"],
  [
    "[1].join()",
    "ERROR: <input>:1:9: found no matching overload for 'join' applied to 'list(int).()'\n | [1].join()\n | ........^",
  ],
  [
    '"%s".format([1, 2])',
    'ERROR: <input>:1:12: too many arguments supplied to string.format (expected 1, got 2)\n | "%s".format([1, 2])\n | ...........^',
  ],
  [
    '"%.f".format([1.0])',
    'ERROR: <input>:1:13: could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax\n | "%.f".format([1.0])\n | ............^',
  ],
  ["[?1]", "ERROR: <input>:1:3: expected type 'optional_type(int)' but found 'int'\n | [?1]\n | ..^"],
  [
    "[[1],[2,[3]]].flatten()",
    "ERROR: <input>:1:6: expected type 'list(int)' but found 'list(dyn)'\n | [[1],[2,[3]]].flatten()\n | .....^\nERROR: <input>:1:9: expected type 'int' but found 'list(int)'\n | [[1],[2,[3]]].flatten()\n | ........^",
  ],
  [
    "[1,2,3].all(i, i, true)",
    "ERROR: <input>:1:16: duplicate variable name: i\n | [1,2,3].all(i, i, true)\n | ...............^",
  ],
  [
    '{"a":1} == {"a":1.0}',
    "ERROR: <input>:1:9: found no matching overload for '_==_' applied to '(map(string, int), map(string, double))'\n | {\"a\":1} == {\"a\":1.0}\n | ........^",
  ],
  [
    'null == "a"',
    "ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(null, string)'\n | null == \"a\"\n | .....^",
  ],
  ["Object{}", "ERROR: <input>:1:7: undeclared reference to 'Object' (in container '')\n | Object{}\n | ......^"],
  ["self{}", "ERROR: <input>:1:5: 'dyn' is not a type\n | self{}\n | ....^"],
  [
    "1 < 2 < 3",
    "ERROR: <input>:1:7: found no matching overload for '_<_' applied to '(bool, int)'\n | 1 < 2 < 3\n | ......^",
  ],
  ["'é' + x", "ERROR: <input>:1:7: undeclared reference to 'x' (in container '')\n | 'é' + x\n | .．....^"],
  ["[1].a", "ERROR: <input>:1:4: type 'list(int)' does not support field selection\n | [1].a\n | ...^"],
  [
    "[1][1.5]",
    "ERROR: <input>:1:4: found no matching overload for '_[_]' applied to '(list(int), double)'\n | [1][1.5]\n | ...^",
  ],
  [
    '"abc"[0]',
    "ERROR: <input>:1:6: found no matching overload for '_[_]' applied to '(string, int)'\n | \"abc\"[0]\n | .....^",
  ],
  [
    'dyn("a") - "a"',
    "ERROR: <input>:1:10: found no matching overload for '_-_' applied to '(dyn, string)'\n | dyn(\"a\") - \"a\"\n | .........^",
  ],
  ['"a".matches("a**")', 'ERROR: <input>:1:13: invalid matches argument\n | "a".matches("a**")\n | ............^'],
  ['"a".matches("\\\\y")', 'ERROR: <input>:1:13: invalid matches argument\n | "a".matches("\\\\y")\n | ............^'],
  [
    'timestamp("2020-02-30T00:00:00Z")',
    'ERROR: <input>:1:11: invalid timestamp argument\n | timestamp("2020-02-30T00:00:00Z")\n | ..........^',
  ],
  [
    '["a"].sortBy(1, 2)',
    'ERROR: <input>:1:14: argument is not an identifier\n | ["a"].sortBy(1, 2)\n | .............^',
  ],
  [
    "sets.contains([1],[1.0])",
    "ERROR: <input>:1:14: found no matching overload for 'sets.contains' applied to '(list(int), list(double))'\n | sets.contains([1],[1.0])\n | .............^",
  ],
  [
    "[1].size() == 1u",
    "ERROR: <input>:1:12: found no matching overload for '_==_' applied to '(int, uint)'\n | [1].size() == 1u\n | ...........^",
  ],
  [
    "[1].all(i, v)",
    "ERROR: <input>:1:12: undeclared reference to 'v' (in container '')\n | [1].all(i, v)\n | ...........^",
  ],
];

describe("an expression that does not compile", () => {
  it.each(wrong)("reports upstream's error: %s", (expression, message) => {
    expect(problemOf(expression)).toBe(message);
  });

  it("is distinguished from one that nests too deeply", () => {
    expect(problemOf(`${"(".repeat(300)}1${")".repeat(300)}`)).toBe(
      "ERROR: <input>:-1:0: expression recursion limit exceeded: 250",
    );
  });

  it("is distinguished from one that is too long", () => {
    expect(problemOf(`'${"a".repeat(100_000)}'`)).toBe(
      "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100002, limit 100000",
    );
  });
});
