import { expect, it } from "vitest";
import { type Negotiated, negotiate } from "./negotiate.ts";

const plain: Negotiated = { mediaType: "application/json", view: "object", viewVersion: "v1" };

it.each([
  [undefined, plain],
  ["*/*", plain],
  ["application/json, */*;q=0.8", plain],
  ["application/vnd.kubernetes.protobuf,application/json", plain],
  ["application/yaml", { ...plain, mediaType: "application/yaml" }],
  [
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
    { ...plain, view: "table" },
  ],
  [
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    { ...plain, view: "partialList" },
  ],
])("answers Accept %s", (accept, wanted) => {
  expect(negotiate(accept, { custom: false })).toEqual(wanted);
});

it("refuses what cannot be offered", () => {
  expect(() => negotiate("application/vnd.kubernetes.protobuf", { custom: false })).toThrow(
    "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  );
  expect(() => negotiate("text/html", { custom: true })).toThrow(
    "only the following media types are accepted: application/json, application/yaml",
  );
});
