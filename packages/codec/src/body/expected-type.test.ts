import { isStatusError, type StatusError } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import { badBody, cannotBeHandled, type ExpectedType, expectedApiVersion, unrecognized } from "./expected-type.ts";
import { asObjectMeta } from "./object-meta.ts";
import { unexplained } from "./unexplained.ts";

const gvk = { group: "apps", version: "v1", kind: "Deployment" };
const schema = builtinSchema(gvk);
if (!schema) throw new Error("there is no such kind");
const expected: ExpectedType = { gvk, schema, custom: false };

it.each<readonly [error: StatusError, code: number, reason: string | undefined, message: string]>([
  [badBody("no"), 400, "BadRequest", "no"],
  [unexplained("no"), 500, undefined, "no"],
  [
    cannotBeHandled(expected, { kind: "Pod", version: "v2" }, "no"),
    ...([400, "BadRequest", 'Pod in version "v2" cannot be handled as a Deployment: no'] as const),
  ],
])("makes a status of %s", (error, code, reason, message) => {
  expect(isStatusError(error)).toBe(true);
  expect(error.status).toEqual({
    ...{ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code, message },
    ...(reason === undefined ? {} : { reason }),
  });
});

it.each([
  ["", "<empty>"],
  ["{", "{"],
  [`{${"x".repeat(29)}`, `{${"x".repeat(29)}`],
  [`{${"x".repeat(30)}`, `{${"x".repeat(29)} ...`],
  ["a{", "617b"],
  ["a".repeat(31), `${"61".repeat(30)} ...`],
])("shows the beginning of a body: %j", (body, shown) => {
  expect(unrecognized(expected, "no", Buffer.from(body)).message).toBe(
    `the object provided is unrecognized (must be of type Deployment): no (${shown})`,
  );
});

it("names the API version that is expected", () => {
  expect(expectedApiVersion(expected)).toBe("apps/v1");
});

it.each([undefined, null, 5, "x", []])("takes empty metadata for %j", (value) => {
  expect(asObjectMeta(value)).toEqual({});
});
