import { expect, it } from "vitest";
import { parseMediaType } from "./media-type.ts";

const types: readonly (readonly [text: string, type: string | undefined, parameters?: object])[] = [
  ["application/json", "application/json", {}],
  ["*/*", "*/*", {}],
  [" Application/JSON ", "application/json", {}],
  ["application/json;", "application/json", {}],
  ["application/json; Charset = UTF-8 ;odd", "application/json", { charset: "UTF-8" }],
  ['application/json;as="Table";v=a=b;empty=', "application/json", { as: "Table", v: "a=b", empty: "" }],
  ["application/json;__proto__=x", "application/json", { ["__proto__"]: "x" }],
  ["application/yaml", "application/yaml", {}],
  ["", undefined],
  ["json", undefined],
  ["application/", undefined],
  ["/json", undefined],
  ["a/b/c", undefined],
  ["a b/c", undefined],
];
it.each(types.map(([text, type, parameters]) => [text, type, parameters] as const))(
  "reads %j",
  (text, type, parameters) => {
    expect(parseMediaType(text)).toEqual(type === undefined ? undefined : { type, parameters });
  },
);
