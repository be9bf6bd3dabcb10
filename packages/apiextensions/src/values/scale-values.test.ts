import { fieldErrorMessage } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { scaleSpecErrors, scaleStatusErrors } from "./scale-values.ts";

const scale = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
};

it.each<readonly [object, readonly string[]]>([
  [{}, []],
  [{ spec: { replicas: 3 } }, []],
  [{ spec: { replicas: -1 } }, [".spec.replicas: Invalid value: -1: should be a non-negative integer"]],
  [
    { spec: { replicas: 2 ** 31 } },
    [".spec.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647"],
  ],
  [
    { spec: { replicas: "x" } },
    [".spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected int64"],
  ],
  [{ spec: { replicas: 0 } }, []],
  [{ spec: { replicas: 2 ** 31 - 1 } }, []],
  [{ spec: null }, []],
  ...(
    [
      [1.5, "1.5 is of the type float64"],
      [2 ** 63, "9223372036854776000 is of the type float64"],
      [-(2 ** 63), "-9223372036854776000 is of the type float64"],
      [true, "true is of the type bool"],
      [[1], "[1] is of the type []interface {}"],
      [{ a: 1 }, '{"a":1} is of the type map[string]interface {}'],
      [null, "<nil> is of the type <nil>"],
    ] as const
  ).map(
    ([replicas, problem]) =>
      [
        { spec: { replicas } },
        [`.spec.replicas: Invalid value: 0: .spec.replicas accessor error: ${problem}, expected int64`],
      ] as const,
  ),
  ...(
    [
      [7, "7 is of the type int64"],
      ["x", "x is of the type string"],
      [[], "[] is of the type []interface {}"],
    ] as const
  ).map(
    ([spec, problem]) =>
      [
        { spec },
        [
          `.spec.replicas: Invalid value: 0: .spec.replicas accessor error: ${problem}, expected map[string]interface{}`,
        ],
      ] as const,
  ),
])("validates the desired replicas of %j", (object, messages) => {
  expect(scaleSpecErrors(object, scale).map(fieldErrorMessage)).toEqual(messages);
});

it("validates the selector with the current replicas", () => {
  const object = { status: { replicas: -1, selector: true } };
  expect(scaleStatusErrors(object, scale).map(fieldErrorMessage)).toEqual([
    ".status.replicas: Invalid value: -1: should be a non-negative integer",
    '.status.selector: Invalid value: "": .status.selector accessor error: true is of the type bool, expected string',
  ]);
});

it("reads numbers of any size", () => {
  expect(scaleSpecErrors({ spec: { replicas: 5n } }, scale)).toEqual([]);
  expect(scaleSpecErrors({ spec: { replicas: 2n ** 31n } }, scale).map(({ detail }) => detail)).toEqual([
    "should be less than or equal to 2147483647",
  ]);
});

it("names the parent without members on the way to a deeper path", () => {
  expect(scaleSpecErrors({ spec: { pool: 1 } }, { ...scale, specReplicasPath: ".spec.pool.size.count" })).toMatchObject(
    [
      {
        field: ".spec.pool.size.count",
        detail: ".spec.pool.size accessor error: 1 is of the type int64, expected map[string]interface{}",
      },
    ],
  );
});

it.each([
  [{ status: { selector: "a=b" } }, []],
  [{ status: { replicas: 1 } }, []],
  [{}, []],
  [{ status: { selector: null } }, ["<nil> is of the type <nil>, expected string"]],
  [{ status: { selector: 1 } }, ["1 is of the type int64, expected string"]],
])("accepts only a string as a selector: %j", (object, problems) => {
  expect(scaleStatusErrors(object, scale).map(fieldErrorMessage)).toEqual(
    problems.map((problem) => `.status.selector: Invalid value: "": .status.selector accessor error: ${problem}`),
  );
});

it("ignores selectors without a path", () => {
  const { labelSelectorPath: _path, ...others } = scale;
  expect(scaleStatusErrors({ status: { selector: 1 } }, others)).toEqual([]);
  expect(scaleStatusErrors({ status: 5 }, scale).map(({ field }) => field)).toEqual([
    ".status.replicas",
    ".status.selector",
  ]);
});
