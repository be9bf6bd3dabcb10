import { FieldPath, fieldErrorMessage } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import type { DefinitionVersion, JsonSchema, PrinterColumn, ScaleSubresource } from "../definition/definition.ts";
import { columnsErrors, deprecationErrors, scaleErrors, selectableFieldErrors } from "./version-validation.ts";

const path = FieldPath.of("v");
const version = (more: Partial<DefinitionVersion>): DefinitionVersion => ({
  ...{ name: "v1", served: true, storage: true },
  ...more,
});

it.each<readonly [given: Partial<DefinitionVersion>, messages: readonly string[]]>([
  [{}, []],
  [{ deprecated: true }, []],
  [{ deprecated: true, deprecationWarning: "use v2" }, []],
  [{ deprecationWarning: "use v2" }, ['v: Invalid value: "use v2": can only be set for deprecated versions']],
  [{ deprecationWarning: "" }, ['v: Invalid value: "": can only be set for deprecated versions']],
  [{ deprecated: true, deprecationWarning: "" }, ['v: Invalid value: "": must not be an empty string']],
  [{ deprecated: true, deprecationWarning: "x".repeat(256) }, []],
  [
    { deprecated: true, deprecationWarning: "é".repeat(129) },
    [`v: Invalid value: "${"é".repeat(129)}": must be <= 256 characters long`],
  ],
])("checks the warning of a deprecated version: %j", (given, messages) => {
  expect(deprecationErrors(version(given), path).map(fieldErrorMessage)).toEqual(messages);
});

const simple = "must be a simple json path starting with .";
const paths: ScaleSubresource = { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" };
it.each<readonly [scale: Partial<ScaleSubresource>, messages: readonly string[]]>([
  [{}, []],
  [{ labelSelectorPath: "" }, []],
  [{ labelSelectorPath: ".status.s" }, []],
  [{ labelSelectorPath: ".spec.s" }, []],
  [
    { labelSelectorPath: ".metadata.s" },
    ['labelSelectorPath: Invalid value: ".metadata.s": should be a json path under .spec or .status'],
  ],
  [{ labelSelectorPath: "status.s" }, [`labelSelectorPath: Invalid value: "status.s": ${simple}`]],
  [{ specReplicasPath: "" }, ["specReplicasPath: Required value"]],
  [{ specReplicasPath: "spec.n" }, [`specReplicasPath: Invalid value: "spec.n": ${simple}`]],
  [{ specReplicasPath: ".spec" }, ['specReplicasPath: Invalid value: ".spec": should be a json path under .spec']],
  [
    { specReplicasPath: ".status.n", statusReplicasPath: ".spec.n" },
    [
      'specReplicasPath: Invalid value: ".status.n": should be a json path under .spec',
      'statusReplicasPath: Invalid value: ".spec.n": should be a json path under .status',
    ],
  ],
])("checks the paths of a scale: %j", (more, messages) => {
  const found = scaleErrors(version({ subresources: { scale: { ...paths, ...more } } }), path);
  expect(found.map(fieldErrorMessage)).toEqual(messages.map((message) => `v.scale.${message}`));
});

it("has nothing to check without a scale or columns", () => {
  expect(scaleErrors(version({ subresources: { status: {} } }), path)).toEqual([]);
  expect(scaleErrors(version({}), path)).toEqual([]);
  expect(columnsErrors(version({}), path)).toEqual([]);
  expect(selectableFieldErrors(version({}), path)).toEqual([]);
});

const column: PrinterColumn = { name: "C", type: "string", jsonPath: ".spec.c" };
const types = ["boolean", "date", "integer", "number", "string"];
const formats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
it.each<readonly [column: Partial<PrinterColumn>, messages: readonly string[]]>([
  ...types.map((type) => [{ type }, []] as const),
  ...["", ...formats].map((format) => [{ format }, []] as const),
  [{ name: "" }, ["name: Required value"]],
  [{ type: "" }, ["type: Required value: must be one of boolean,date,integer,number,string"]],
  [{ type: "text" }, ['type: Invalid value: "text": must be one of boolean,date,integer,number,string']],
  [
    { format: "int8" },
    ['format: Invalid value: "int8": must be one of byte,date,date-time,double,float,int32,int64,password'],
  ],
  [{ jsonPath: "" }, ["JSONPath: Required value"]],
  [{ jsonPath: "spec" }, [`JSONPath: Invalid value: "spec": ${simple}`]],
])("checks a printer column: %j", (more, messages) => {
  const found = columnsErrors(version({ additionalPrinterColumns: [column, { ...column, ...more }] }), path);
  expect(found.map(fieldErrorMessage)).toEqual(messages.map((message) => `v[1].${message}`));
});

const fields: JsonSchema = {
  type: "object",
  properties: {
    ...{ s: { type: "string" }, b: { type: "boolean" }, i: { type: "integer" }, n: { type: "number" } },
    ...{ o: { type: "object", additionalProperties: { type: "string" } }, u: {} },
    metadata: { type: "object", properties: { name: { type: "string" } } },
  },
};
const wrongType =
  "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
it.each<readonly [jsonPaths: readonly string[], messages: readonly string[]]>([
  [[".s", ".b", ".i"], []],
  [[""], ["[0].jsonPath: Required value"]],
  [[".x"], ['[0].jsonPath: Invalid value: ".x": is an invalid path: does not refer to a valid field']],
  [[".o['k']"], ["[0].jsonPath: Invalid value: \".o['k']\": is an invalid path: array notation is not allowed"]],
  [[".metadata.name"], ['[0].jsonPath: Invalid value: ".metadata.name": must not point to fields in metadata']],
  [[".n"], [`[0].jsonPath: Invalid value: ".n": ${wrongType}`]],
  [[".o"], [`[0].jsonPath: Invalid value: ".o": ${wrongType}`]],
  [[".u"], [`[0].jsonPath: Invalid value: ".u": ${wrongType}`]],
  [
    ["", ".x", ".s", ".i", ".s"],
    [
      "[0].jsonPath: Required value",
      expect.stringMatching(/^\[1\]\.jsonPath: Invalid value/),
      '[4].jsonPath: Duplicate value: ".s"',
    ],
  ],
])("checks selectable fields: %j", (jsonPaths, messages) => {
  const selectableFields = jsonPaths.map((jsonPath) => ({ jsonPath }));
  const found = selectableFieldErrors(version({ selectableFields, schema: { openAPIV3Schema: fields } }), path);
  expect(found.map(fieldErrorMessage).map((message) => message.replace(/^v/, ""))).toEqual(messages);
});

it.each([
  [8, []],
  [9, ["v: Too many: 9: must have at most 8 items"]],
])("allows eight selectable fields: %i", (count, messages) => {
  const names = Array.from({ length: count }, (_, i) => `f${i}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const found = selectableFieldErrors(
    version({
      selectableFields: [...names, "f0"].map((name) => ({ jsonPath: `.${name}` })),
      schema: { openAPIV3Schema: { type: "object", properties } },
    }),
    path,
  );
  expect(found.map(fieldErrorMessage)).toEqual([`v[${count}].jsonPath: Duplicate value: ".f0"`, ...messages]);
});

it("finds no selectable field without a schema", () => {
  expect(selectableFieldErrors(version({ selectableFields: [{ jsonPath: ".a" }] }), path)).toHaveLength(1);
});
