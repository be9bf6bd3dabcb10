import { ApiServer } from "@kubewright/kube-apiserver";
import { afterAll, beforeAll, expect, it } from "vitest";
import { at, type Call, caller } from "./caller.ts";

// Users who may create CRDs determine the work per object; these attacks took minutes, or exhausted the memory.
const maxMs = 5_000;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

let server: ApiServer;
let call: Call;
beforeAll(async () => {
  server = await ApiServer.start({ tls: false });
  call = caller(server);
});
afterAll(() => server.stop());

/** Returns the time that a request blocks the server for others; other work of the machine does not count. */
async function cost<T>(work: () => Promise<T>): Promise<readonly [answer: T, ms: number]> {
  const start = process.cpuUsage();
  const answer = await work();
  const { user, system } = process.cpuUsage(start);
  return [answer, (user + system) / 1_000];
}

let count = 0;

/** Creates a CRD with this schema for `spec`, and returns the path of its objects. */
async function define(
  spec: object,
  version: object = {},
  names: readonly string[] = ["v1"],
): Promise<{ readonly path: string; readonly type: object }> {
  const group = `g${count++}.example.com`;
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  const { status, text } = await call("POST", definitions, {
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing" },
      versions: names.map((name, i) => ({ name, served: true, storage: i === 0, schema, ...version })),
    },
  });
  expect([status, text]).toEqual([201, expect.anything()]);
  const path = `/apis/${group}/${names[0]}/namespaces/default/things`;
  await expect.poll(async () => (await call("GET", path)).status, { timeout: 20_000 }).toBe(200);
  return { path, type: { apiVersion: `${group}/${names[0]}`, kind: "Thing" } };
}

const numbered = (length: number): string[] => Array.from({ length }, (_, i) => `v${i + 1}`);
const listOf = (items: object, more: object = {}): object => ({
  type: "object",
  properties: { list: { type: "array", items, ...more } },
});

it("a CRD with a thousand versions is served in proportional time", async () => {
  const [{ path, type }, ms] = await cost(() => define({ type: "object" }, {}, numbered(1_000)));
  expect(ms).toBeLessThan(maxMs);
  const [{ status }, createMs] = await cost(() => call("POST", path, { ...type, metadata: { name: "a" } }));
  expect(status).toBe(201);
  expect(createMs).toBeLessThan(maxMs);
});

it.each<readonly [string, object, unknown[]]>([
  ["enumerations", { type: "string", enum: numbered(40_000) }, numbered(40_000).map((text) => `${text}x`)],
  [
    "alternatives",
    { type: "object", anyOf: numbered(20_000).map((name) => ({ required: [name] })) },
    Array.from({ length: 20_000 }, () => ({})),
  ],
])("values that none of thousands of %s allow are refused in time", async (_what, items, list) => {
  const { path, type } = await define(listOf(items));
  const [{ status, text }, ms] = await cost(() =>
    call("POST", path, { ...type, metadata: { name: "a" }, spec: { list } }),
  );
  expect([status, text]).toEqual([422, expect.stringContaining("too many values to check against all alternatives")]);
  expect(ms).toBeLessThan(maxMs);
});

it("the number of an object's defaults is limited", async () => {
  const value = Object.fromEntries(numbered(5_000).map((name) => [name, "x"]));
  const properties = { a: { type: "object", default: value, additionalProperties: { type: "string" } } };
  const { path, type } = await define(listOf({ type: "object", properties }));
  const list = Array.from({ length: 40_000 }, () => ({}));
  const [{ status, text }, ms] = await cost(() =>
    call("POST", path, { ...type, metadata: { name: "a" }, spec: { list } }),
  );
  expect([status, text]).toEqual([413, expect.stringContaining("too many values")]);
  expect(ms).toBeLessThan(maxMs);
});

it("items of a keyed list are found in time proportional to their number", async () => {
  const item = { type: "object", required: ["n"], properties: { n: { type: "string" }, v: { type: "integer" } } };
  const keyed = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"] };
  const { path, type } = await define(listOf(item, keyed));
  const spec = (v: number): object => ({ list: numbered(15_000).map((n) => ({ n, v })) });
  const { body } = await call("POST", path, { ...type, metadata: { name: "a" }, spec: spec(1) });
  const metadata = { name: "a", resourceVersion: at(body, "metadata", "resourceVersion") };
  const [{ status }, ms] = await cost(() => call("PUT", `${path}/a`, { ...type, metadata, spec: spec(2) }));
  expect(status).toBe(200);
  expect(ms).toBeLessThan(maxMs);
});

it.each([
  ["ways to one value than there are values", ".spec..a..a..a..a..a"],
  ["text than the object has", ".spec..a"],
])("a column has a limited number of %s", async (_what, jsonPath) => {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const { path, type } = await define(anything, {
    additionalPrinterColumns: [{ name: "X", type: "string", jsonPath }],
  });
  let spec: object = { a: "x".repeat(1_000_000) };
  for (let i = 0; i < 90; i++) spec = { a: spec };
  await call("POST", path, { ...type, metadata: { name: "a" }, spec });
  const [{ status, bytes }, ms] = await cost(() =>
    call("GET", path, undefined, { accept: "application/json;as=Table;g=meta.k8s.io;v=v1;includeObject=None" }),
  );
  expect(status).toBe(200);
  expect(bytes.length).toBeLessThan(10_000_000);
  expect(ms).toBeLessThan(maxMs);
});

it("the filter of a column may have any length", async () => {
  const jsonPath = `.spec[?(@.a${" ".repeat(500_000)}b)]`;
  const column = { additionalPrinterColumns: [{ name: "X", type: "string", jsonPath }] };
  const [, ms] = await cost(() => define({ type: "object" }, column));
  expect(ms).toBeLessThan(maxMs);
});
