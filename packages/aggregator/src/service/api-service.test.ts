import { expect, it } from "vitest";
import { isAvailable, isRemote, isSameEnd, pathOf, readApiService } from "./api-service.ts";

const read = (spec?: object, status?: object) =>
  readApiService({
    apiVersion: "v1",
    kind: "APIService",
    metadata: { name: "v1.g.io" },
    ...(spec ? { spec } : {}),
    ...(status ? { status } : {}),
  });

it("has defaults for absent fields", () => {
  expect(read()).toEqual({
    name: "v1.g.io",
    group: "",
    version: "",
    groupPriority: 0,
    versionPriority: 0,
    service: undefined,
    insecureSkipTlsVerify: false,
    caBundle: "",
    condition: undefined,
  });
  expect(read({ service: {} }).service).toEqual({ namespace: "", name: "", port: 443 });
  const common = {
    group: "g.io",
    version: "v1",
    groupPriorityMinimum: 7,
    versionPriority: 8,
    insecureSkipTLSVerify: true,
  };
  expect(read({ ...common, caBundle: "x", service: { namespace: "a", name: "b", port: 8443 } })).toMatchObject({
    group: "g.io",
    version: "v1",
    groupPriority: 7,
    versionPriority: 8,
    insecureSkipTlsVerify: true,
    caBundle: "x",
    service: { namespace: "a", name: "b", port: 8443 },
  });
});

it("is remote with a service, and available according to its condition", () => {
  expect([isRemote(read()), isRemote(read({ service: {} }))]).toEqual([false, true]);
  const condition = (type: string, status: string) =>
    read(
      {},
      {
        conditions: [
          { type: "X", status: "True" },
          { type, status },
        ],
      },
    );
  expect(isAvailable(condition("Available", "True"))).toBe(true);
  expect(isAvailable(condition("Available", "False"))).toBe(false);
  expect(isAvailable(condition("Other", "True"))).toBe(false);
  expect(isAvailable(read())).toBe(false);
});

const service = { namespace: "a", name: "b", port: 1 };
it.each([
  [{ service }, true],
  [{ service, group: "other" }, true],
  [{ service: { ...service, namespace: "c" } }, false],
  [{ service: { ...service, name: "c" } }, false],
  [{ service: { ...service, port: 2 } }, false],
  [{ service, caBundle: "x" }, false],
  [{ service, insecureSkipTLSVerify: true }, false],
  [{}, false],
])("has the same connections as another, or not: %j", (spec, isSame) => {
  expect(isSameEnd(read({ service }), read(spec))).toBe(isSame);
});

it("is served below its group and version", () => {
  expect([pathOf({ group: "", version: "v1" }), pathOf({ group: "g.io", version: "v1" })]).toEqual([
    "/api/v1",
    "/apis/g.io/v1",
  ]);
});
