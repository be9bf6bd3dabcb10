import { isStatusError } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { inEnvelope } from "../protobuf/protobuf-document.ts";
import { encodeMessage } from "../protobuf/protobuf-encode.ts";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import { decodeOptions } from "./decode-options.ts";

const protobuf = "application/vnd.kubernetes.protobuf";
const read = (body: string | Buffer, contentType?: string): unknown =>
  decodeOptions(contentType, Buffer.from(body), "DeleteOptions");

const schema = builtinSchema({ group: "", version: "v1", kind: "DeleteOptions" });
if (!schema) throw new Error("there is no such kind");
const message = encodeMessage({ gracePeriodSeconds: 5 }, schema);

it.each<readonly [body: string | Buffer, contentType: string | undefined, options: object]>([
  ["", undefined, {}],
  ["", "text/plain", {}],
  ["{}", undefined, {}],
  ["{}", "", {}],
  ['{"apiVersion":"","kind":"","gracePeriodSeconds":5}', "application/json", { gracePeriodSeconds: 5 }],
  ['{"apiVersion":"apps/v1","gracePeriodSeconds":5}', "application/json", { gracePeriodSeconds: 5 }],
  ['{"apiVersion":"v1","kind":"DeleteOptions","unknown":5}', "application/json;charset=utf-8", {}],
  ["kind: DeleteOptions\napiVersion: policy/v1\ndryRun: [All]\n", "application/yaml", { dryRun: ["All"] }],
  [inEnvelope("v1", "DeleteOptions", message), protobuf, { gracePeriodSeconds: 5 }],
  [inEnvelope("apps/v1", "DeleteOptions", message), protobuf, { gracePeriodSeconds: 5 }],
  [inEnvelope("", "", message), protobuf, { gracePeriodSeconds: 5 }],
])("reads %s of type %s", (body, contentType, options) => {
  expect(read(body, contentType)).toEqual(options);
});

const scheme = 'in scheme "pkg/runtime/scheme.go:111"';
const unrecognized = "the object provided is unrecognized (must be of type DeleteOptions): ";
it.each<readonly [body: string | Buffer, contentType: string | undefined, code: number, message: string]>([
  ['{"kind":"Pod"}', undefined, 400, `no kind "Pod" is registered for version "v1" ${scheme}`],
  ['{"kind":"Pod","apiVersion":"a/v2"}', undefined, 400, `no kind "Pod" is registered for version "a/v2" ${scheme}`],
  ["kind: Pod\n", "application/yaml", 400, `no kind "Pod" is registered for version "v1" ${scheme}`],
  [inEnvelope("v2", "Pod", message), protobuf, 400, `no kind "Pod" is registered for version "v2" ${scheme}`],
  ['{"gracePeriodSeconds":"x"}', undefined, 400, "gracePeriodSeconds: expected int64, got string"],
  ["[]", undefined, 400, `${unrecognized}expected object, got array (5b5d)`],
  ['{"kind":5}', undefined, 400, `${unrecognized}kind: expected string, got number ({"kind":5})`],
  ["{", undefined, 400, unrecognized],
  ["kind: a: b", "application/yaml", 400, unrecognized],
  ["xyz", protobuf, 400, "provided data does not appear to be a protobuf message"],
  ["{}", "text/plain", 415, "the body of the request was in an unknown format"],
])("refuses %s of type %s", (body, contentType, code, message) => {
  try {
    read(body, contentType);
    expect.unreachable();
  } catch (error) {
    if (!isStatusError(error)) throw error;
    expect(error.code).toBe(code);
    expect(error.message.startsWith(message)).toBe(true);
  }
});
