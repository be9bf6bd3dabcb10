import { isStatusError } from "@kubewright/apimachinery";
import { builtinSchema, objectMetaSchema } from "@kubewright/codec/schema";
import { describe, expect, it } from "vitest";
import type { ServedResource } from "../registry/resource.ts";
import { readPatched } from "./patched-object.ts";

const configMap = { group: "", version: "v1", kind: "ConfigMap" };
const site = { group: "example.com", version: "v1", kind: "Site" };
const siteResource = {
  ...site,
  resource: "sites",
  origin: "custom",
  strategy: {},
  schema: {
    type: "object",
    isResource: true,
    fields: new Map([
      ["metadata", { name: "metadata", schema: objectMetaSchema() }],
      ["spec", { name: "spec", schema: { type: "scalar", scalar: "string" } }],
    ]),
  },
} as unknown as ServedResource;

function read(value: unknown, options: { strict?: boolean } = {}, custom = false): unknown {
  try {
    return custom ? readPatched(value, site, siteResource, options) : readPatched(value, configMap, undefined, options);
  } catch (error) {
    return isStatusError(error) ? `${error.code} ${error.message}` : String(error);
  }
}
const internal = (why: string): string => `500 Internal error occurred: ${why}`;
const metadata = { name: "a" };

/** @see apiserver pkg/admission/plugin/webhook/mutating callAttrMutatingHook */
describe("the result of a hook for a built-in object", () => {
  it("is decoded like a body", () => {
    expect(read({ metadata, data: { a: "b" }, more: 1, binaryData: null })).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: { a: "b" },
    });
    expect(read({ apiVersion: "v1", kind: "ConfigMap", metadata })).toMatchObject({ metadata });
  });

  it.each<[unknown, string]>([
    [[], internal("expected object, got array")],
    ["x", internal("expected object, got string")],
    [{ apiVersion: 1 }, internal("apiVersion: expected string, got number")],
    [{ kind: {} }, internal("kind: expected string, got object")],
    [{ metadata, data: { a: 1 } }, internal("data.a: expected string, got number")],
    [{ kind: "Foo" }, internal('no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"')],
    [
      { apiVersion: "g/v1" },
      internal('no kind "ConfigMap" is registered for version "g/v1" in scheme "pkg/runtime/scheme.go:111"'),
    ],
    [{ kind: "Secret", data: { a: 1 } }, internal("data.a: expected base64 text, got number")],
    [{ kind: "Secret" }, "500 converting (v1.Secret) to (core.ConfigMap): unknown conversion"],
    [
      { apiVersion: "apps/v1", kind: "Deployment" },
      "500 converting (v1.Deployment) to (core.ConfigMap): unknown conversion",
    ],
  ])("%j: %s", (value, refusal) => {
    expect(read(value)).toBe(refusal);
  });

  it("drops unknown members, or rejects them if strict", () => {
    expect(read({ metadata, more: 1 }, { strict: true })).toBe(internal('strict decoding error: unknown field "more"'));
    expect(read({ metadata, more: 1 }, { strict: false })).toMatchObject({ metadata });
  });

  it("may be options of a connection, which have no metadata", () => {
    const kind = { group: "", version: "v1", kind: "PodExecOptions" };
    expect(builtinSchema(kind)).toBeDefined();
    expect(readPatched({ command: ["ls"] }, kind, undefined)).not.toHaveProperty("metadata");
  });
});

describe("the result of a hook for a custom resource", () => {
  const named = { apiVersion: "example.com/v1", kind: "Site", metadata };
  it("is pruned, not rejected", () => {
    expect(read({ ...named, spec: "x", more: 1 }, { strict: true }, true)).toEqual({ ...named, spec: "x" });
  });

  it.each<[object, string]>([
    [
      { kind: undefined },
      internal(`Object 'Kind' is missing in '${JSON.stringify({ apiVersion: "example.com/v1", metadata })}'`),
    ],
    [{ apiVersion: "example.com/v2" }, "500 request to convert CR from an invalid group/version: example.com/v2"],
    [{ apiVersion: "v1" }, '500 /v1, Kind=Site is unstructured and is not suitable for converting to "example.com/v1"'],
    [
      { apiVersion: "other/v1" },
      '500 other/v1, Kind=Site is unstructured and is not suitable for converting to "example.com/v1"',
    ],
  ])("%j", (more, refusal) => {
    const value = Object.fromEntries(
      Object.entries({ ...named, ...more }).filter(([, member]) => member !== undefined),
    );
    expect(read(value, {}, true)).toBe(refusal);
  });

  it("must be of its kind", () => {
    expect(read({ ...named, kind: "Other" }, {}, true)).toMatch(/^\d+ .*kind/i);
  });
});
