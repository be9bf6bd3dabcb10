import { describe, expect, it } from "vitest";
import { aggregatedFormat, type Negotiated, negotiate, negotiateError, notStreamed } from "./negotiate.ts";

const protobuf = "application/vnd.kubernetes.protobuf";
const meta = "g=meta.k8s.io;v=v1";
const plain: Negotiated = { mediaType: "application/json", view: "object", viewVersion: "v1", pretty: false };
const inProtobuf: Negotiated = { ...plain, mediaType: protobuf };

describe("built-in resources", () => {
  it.each<[string | undefined, Negotiated]>([
    [undefined, plain],
    ["", plain],
    ["*/*", plain],
    ["application/json, */*;q=0.8", plain],
    ["application/yaml", { ...plain, mediaType: "application/yaml" }],
    [protobuf, inProtobuf],
    [`${protobuf},application/json`, inProtobuf],
    [`application/json,${protobuf}`, plain],
    [`*/*,${protobuf}`, inProtobuf],
    [`${protobuf};q=0.5,application/json;q=0.9`, plain],
    [`${protobuf};q=0`, inProtobuf],
    [`${protobuf};stream=watch`, inProtobuf],
    [`${protobuf};stream=other,application/json`, plain],
    [`${protobuf};sv=v1`, inProtobuf],
    [`garbage,${protobuf}`, inProtobuf],
    ["application/json;pretty=1", { ...plain, pretty: true }],
    [`application/json;as=Table;${meta},application/json`, { ...plain, view: "table" }],
    [`${protobuf};as=Table;${meta},application/json`, plain],
    [`${protobuf};as=PartialObjectMetadata;${meta}`, { ...inProtobuf, view: "partial" }],
    [`*/*;as=PartialObjectMetadata;${meta}`, { ...plain, view: "partial" }],
    [
      `${protobuf};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1`,
      { ...inProtobuf, view: "partialList", viewVersion: "v1beta1" },
    ],
  ])("answers Accept %s", (accept, wanted) => {
    expect(negotiate(accept, "object")).toEqual(wanted);
  });

  it.each([
    `${protobuf};as=Table;${meta}`,
    `${protobuf};as=PartialObjectMetadata`,
    `${protobuf};as=PartialObjectMetadata;v=v1`,
    `${protobuf};v=v1`,
    `${protobuf};sv=v2`,
    `${protobuf};as=Other;${meta}`,
  ])("rejects %s", (accept) => {
    expect(() => negotiate(accept, "object")).toThrow(
      "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    );
  });

  it("reject types that a route does not produce, with its message", () => {
    const types = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    for (const accept of ["text/html", "application/*", "garbage", protobuf.toUpperCase()])
      expect(() => negotiate(accept, "object")).toThrow(`406: Not Acceptable\n\nAvailable representations: ${types}`);
    expect(() => negotiate("text/html", "collection")).toThrow(
      `${types}, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch`,
    );
  });
});

describe("custom resources", () => {
  it.each<[string, Negotiated]>([
    [`${protobuf},application/json`, plain],
    [`*/*,${protobuf}`, plain],
    ["application/*", plain],
    [`${protobuf};as=PartialObjectMetadata;${meta}`, { ...inProtobuf, view: "partial" }],
  ])("answer Accept %s", (accept, wanted) => {
    expect(negotiate(accept, "custom")).toEqual(wanted);
  });

  it.each([protobuf, "text/html", `${protobuf};stream=watch`, "application/json;sv=v1"])("reject %s", (accept) => {
    expect(() => negotiate(accept, "custom")).toThrow(
      "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    );
  });
});

it("writes errors in an accepted type without a view, or not at all", () => {
  expect(negotiateError(protobuf)).toEqual(inProtobuf);
  expect(negotiateError("application/*")).toEqual(plain);
  expect(negotiateError("text/html")).toBeUndefined();
  expect(negotiateError(`application/json;as=Table;${meta}`)).toBeUndefined();
  expect(negotiateError(`application/json;as=Table;${meta},application/json`)).toEqual(plain);
});

it("finds aggregated discovery at any position", () => {
  const aggregated = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  expect(aggregatedFormat(`application/json;${aggregated},application/json`)).toBe("application/json");
  expect(aggregatedFormat(`application/json,${protobuf};${aggregated}`)).toBe(protobuf);
  expect(aggregatedFormat("application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList")).toBeUndefined();
  expect(aggregatedFormat(undefined)).toBeUndefined();
});

it("has no events in YAML", () => {
  expect(notStreamed().message).toBe(
    "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
  );
});
