import { expect, it } from "vitest";
import { Random } from "../time/random.ts";
import { damagesOf, sentPaths } from "./damage.ts";

/** A Service that a program created with a selector. The API server has added the type. */
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: {
    name: "web",
    managedFields: [
      {
        manager: "program",
        operation: "Update",
        fieldsV1: { "f:spec": { "f:type": {}, "f:selector": { "f:app": {} } } },
      },
    ],
  },
  spec: { type: "ClusterIP", selector: { app: "web" } },
} as const;

const pathsOf = (isSent?: (path: string) => boolean) =>
  damagesOf(service, new Random(1), isSent)
    .map(({ path }) => path)
    .sort();

it("damages only the fields that the program sent", () => {
  expect(pathsOf()).toEqual(["spec.selector.app", "spec.type"]);
  const sent = sentPaths({ apiVersion: "v1", kind: "Service", spec: { selector: { app: "web" } } });
  expect(pathsOf((path) => sent.includes(path))).toEqual(["spec.selector.app"]);
});

it("does not count what an update repeats of the object that the program has read", () => {
  const update = { ...service, spec: { ...service.spec, selector: { app: "changed" } } };
  expect(sentPaths({ spec: update.spec }, service)).toEqual(["spec.selector.app"]);
});
