import { ApiServer } from "@kubewright/kube-apiserver";
import { afterAll, beforeAll, expect, it } from "vitest";
import { at, type Call, caller, patchType } from "./caller.ts";

const bytes = 1.6 * 1024 * 1024;
const pods = "/api/v1/namespaces/default/pods";
const configMaps = "/api/v1/namespaces/default/configmaps";
const podOf = (value: string) => ({
  metadata: { name: "large" },
  spec: { containers: [{ name: "c", image: "i", env: [{ name: "A", value }] }] },
});

let server: ApiServer;
let call: Call;
beforeAll(async () => {
  server = await ApiServer.start({ tls: false, disableAdmissionPlugins: ["ServiceAccount"] });
  call = caller(server);
});
afterAll(() => server.stop());

it("an object that is too large for etcd is not stored in memory either, in any form", async () => {
  const refusal = { status: 500, body: { message: "etcdserver: request is too large", code: 500 } };
  const large = "x".repeat(bytes);
  expect(await call("POST", pods, podOf(large))).toMatchObject(refusal);
  expect((await call("POST", pods, podOf("x"))).status).toBe(201);
  const annotated = { metadata: { annotations: { a: "x".repeat(250_000) } } };
  expect((await call("PATCH", `${pods}/large`, annotated, patchType("merge-patch+json"))).status).toBe(200);
  const status = { status: { message: large } };
  expect(await call("PATCH", `${pods}/large/status`, status, patchType("merge-patch+json"))).toMatchObject(refusal);
});

it("annotations have at most 256 KiB in total", async () => {
  const annotations = { a: "x".repeat(131_072), b: "x".repeat(131_072) };
  const { status, body } = await call("POST", configMaps, { metadata: { name: "annotated", annotations } });
  expect(status).toBe(422);
  expect(at(body, "message")).toContain("metadata.annotations: Too long: may not be more than 262144 bytes");
});

it("at most a thousand of many conflicts are reported", async () => {
  const apply = (manager: string, value: string) =>
    call(
      "PATCH",
      `${configMaps}/applied?fieldManager=${manager}`,
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "applied" },
        data: Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`k${i}`, value])),
      },
      patchType("apply-patch+yaml"),
    );
  expect((await apply("one", "a")).status).toBe(201);
  const { status, body, bytes } = await apply("other", "b");
  expect(status).toBe(409);
  expect(at(body, "message")).toMatch(/^Apply failed with 30000 conflicts: .*and 29000 more conflicts$/s);
  expect(bytes.length).toBeLessThan(500_000);
});

it("an object with many members is refused before its fields are collected, but not in a dry run", async () => {
  const refusal = { status: 500, body: { message: "etcdserver: request is too large", code: 500 } };
  const data = Object.fromEntries(Array.from({ length: 45_000 }, (_, i) => [String(i).padStart(20, "k"), "x"]));
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "members" }, data };
  const apply = (query: string) =>
    call("PATCH", `${configMaps}/members?fieldManager=one${query}`, object, patchType("apply-patch+yaml"));
  expect(await call("POST", configMaps, object)).toMatchObject(refusal);
  expect(await apply("")).toMatchObject(refusal);
  expect((await apply("&dryRun=All")).status).toBe(201);
  expect((await call("POST", configMaps, { metadata: { name: "members" }, data: { a: "x" } })).status).toBe(201);
  expect(await call("PUT", `${configMaps}/members`, object)).toMatchObject(refusal);
  expect(await call("PATCH", `${configMaps}/members`, { data }, patchType("merge-patch+json"))).toMatchObject(refusal);
});
