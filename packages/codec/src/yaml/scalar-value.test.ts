import { expect, it } from "vitest";
import { readYaml, YamlError } from "./yaml-reader.ts";

it.each<readonly [text: string, value: unknown]>([
  ["[~, null, Null, NULL, nULL]", [null, null, null, null, "nULL"]],
  [
    "[y, Y, yes, Yes, YES, true, True, TRUE, on, On, ON]",
    [true, true, true, true, true, true, true, true, true, true, true],
  ],
  [
    "[n, N, no, No, NO, false, False, FALSE, off, Off, OFF]",
    [false, false, false, false, false, false, false, false, false, false, false],
  ],
  ["[.nan, .NaN, .NAN, .Nan]", [Number.NaN, Number.NaN, Number.NaN, ".Nan"]],
  [
    "[.inf, .Inf, .INF, +.inf, -.inf, -.Inf, -.INF, .iNF]",
    [
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      ".iNF",
    ],
  ],
  [
    "[0, -0, +0, 00, 08, 0o17, 0O17, 0x1F, 0X1f, 0b101, 0B1, -0x10, 0x, 0b2, 0o8]",
    [0, 0, 0, 0, 8, 15, 15, 31, 31, 5, 1, -16, "0x", "0b2", "0o8"],
  ],
  [
    "[1., 1.0, -1.5, +.5, .5e1, 1e3, 1e-3, 1.e1, ., e1, 1e, 1_0.5]",
    [1, 1, -1.5, 0.5, 5, 1000, 0.001, 10, ".", "e1", "1e", 10.5],
  ],
  ["[1_000, 0x_1, _1, 1__0, -_1]", [1000, 1, "_1", 10, -1]],
  ["['1', \"1\", ! 1]", ["1", "1", "1"]],
  [
    "[2001-01-01, 2001-1-1, 2001-01-01T1:2:3Z, 2001-01-01 01:02:03.5+01:00, 2001-01-01x]",
    ["2001-01-01", "2001-1-1", "2001-01-01T1:2:3Z", "2001-01-01 01:02:03.5+01:00", "2001-01-01x"],
  ],
  ["[1:30, 1:30.5]", ["1:30", "1:30.5"]],
  [
    "[9007199254740991, 9007199254740992, -9007199254740992, 9223372036854775808, -9223372036854775808, -9223372036854775809, 18446744073709551615, 18446744073709551616]",
    [
      9007199254740991,
      9007199254740992n,
      -9007199254740992n,
      9223372036854775808n,
      -9223372036854775808n,
      -9223372036854776000,
      18446744073709551615n,
      18446744073709552000,
    ],
  ],
  ["1e400", "1e400"],
  [
    "[1111111111111111111111111111111111111111111111111111111111111111111111, 11111111111111111111111111111111111111111111111111111111111111111111111]",
    [1.1111111111111112e69, 1.111111111111111e70],
  ],
  [
    "[!!int 1, !!float 1, !!float 1.5, !!bool yes, !!null ~, !!null '', !!str ~, !!timestamp 2001-01-01, !!timestamp '2001-01-01']",
    [1, 1, 1.5, true, null, null, "~", "2001-01-01", "2001-01-01"],
  ],
  ["!!foo 1", "1"],
  ["!<tag:yaml.org,2002:int> '5'", 5],
  ["!<x:int> '5'", "5"],
])("reads scalars: %j", (text, value) => {
  expect(readYaml(text).value).toEqual(value);
});

it.each<readonly [text: string, message: string]>([
  ["!!timestamp x", "cannot decode !!str `x` as a !!timestamp"],
  ["!!int 1.5", "cannot decode !!float `1.5` as a !!int"],
  ["!!float x", "cannot decode !!str `x` as a !!float"],
  ["!!bool 1", "cannot decode !!int `1` as a !!bool"],
  ["!!null x", "cannot decode !!str `x` as a !!null"],
  ["[!!binary aGk=, !!binary 'aG\n k=', !!binary '']", "!!binary value contains invalid base64 data"],
  ["!!binary a", "!!binary value contains invalid base64 data"],
  ["!!binary aGk-", "!!binary value contains invalid base64 data"],
  ["!!binary =aGk", "!!binary value contains invalid base64 data"],
])("refuses scalars: %j", (text, message) => {
  expect(() => readYaml(text)).toThrow(new YamlError(message));
});
