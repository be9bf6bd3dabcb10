import { ApiServer } from "@kubewright/kube-apiserver";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { at, type Call, caller, patchType } from "./caller.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const anys = "/apis/example.com/v1/namespaces/default/anys";

const lists = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const any = (name: string, spec: string): string =>
  `{"apiVersion":"example.com/v1","kind":"Any","metadata":{"name":"${name}"},"spec":${spec}}`;

/** Returns a protobuf message with one field. */
const field = (number: number, content: Buffer): Buffer =>
  Buffer.concat([varint((number << 3) | 2), varint(content.length), content]);

const varint = (value: number): Buffer =>
  value < 0x80 ? Buffer.from([value]) : Buffer.concat([Buffer.from([(value & 0x7f) | 0x80]), varint(value >>> 7)]);

describe("input that is nested too deep for the stack is refused while it is read", () => {
  let server: ApiServer;
  let call: Call;
  beforeAll(async () => {
    server = await ApiServer.start({ tls: false, crds: [definition] });
    call = caller(server);
    await call("POST", configMaps, { metadata: { name: "c" } });
    await call("POST", anys, any("c", "{}"));
  });
  afterAll(() => server.stop());

  it.each<readonly [method: string, path: string, type: string, body: string]>([
    ["POST", configMaps, "application/json", `{"metadata":{"name":"x"},"data":${lists(700_000)}}`],
    ["POST", configMaps, "application/json", `{"metadata":{"name":"x"},"unknown":${objects(400_000)}}`],
    ["POST", configMaps, "application/json", "[".repeat(1_000_000)],
    ["POST", anys, "application/json", any("x", objects(501))],
    ["POST", anys, "application/json", any("x", `${objects(9_000).replace("1", "12345678901234567890")}`)],
    ["PUT", `${anys}/c`, "application/json", any("c", lists(9_000))],
    ["PATCH", `${anys}/c`, "application/merge-patch+json", `{"spec":${objects(9_000)}}`],
    ["PATCH", `${configMaps}/c`, "application/strategic-merge-patch+json", `{"data":${objects(9_000)}}`],
    ["PATCH", `${anys}/c`, "application/json-patch+json", `[{"op":"add","path":"/spec/x","value":${lists(9_000)}}]`],
    ["PATCH", `${anys}/c?fieldManager=f`, "application/apply-patch+yaml", any("c", objects(2_000))],
    ["POST", anys, "application/yaml", any("x", objects(600)).replaceAll('"a":', "a: ")],
    ["DELETE", `${configMaps}/c`, "application/json", `{"preconditions":${objects(9_000)}}`],
  ])("%s %s as %s", async (method, path, type, body) => {
    const started = process.cpuUsage();
    const answer = await call(method, path, body, { "content-type": type });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("exceeded max depth")]);
    expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
  });

  it("nested protobuf is refused as well: schemas in schemas, and JSON within a message", async () => {
    let schema: Buffer = Buffer.alloc(0);
    for (let i = 0; i < 9_000; i++) schema = field(28, schema); // not
    const version = Buffer.concat([field(1, Buffer.from("v1")), field(4, field(1, schema))]);
    const spec = field(2, field(7, version));
    const data = field(2, field(1, Buffer.from(objects(9_000))));
    for (const [path, apiVersion, kind, raw] of [
      [
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        spec,
      ],
      ["/apis/apps/v1/namespaces/default/controllerrevisions", "apps/v1", "ControllerRevision", data],
    ] as const) {
      const type = Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from(kind))]);
      const body = Buffer.concat([Buffer.from("k8s\0"), field(1, type), field(2, raw)]);
      const answer = await call("POST", path, body, { "content-type": "application/vnd.kubernetes.protobuf" });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("exceeded max depth")]);
    }
  });

  it("patches that would build such a value from small parts are refused", async () => {
    const towers = Array.from({ length: 2_000 }, () => [
      { op: "move", from: "/spec/a", path: "/spec/b" },
      { op: "add", path: "/spec/a", value: [[]] },
      { op: "move", from: "/spec/b", path: "/spec/a/0/0" },
    ]).flat();
    const patch = [{ op: "add", path: "/spec", value: { a: [] } }, ...towers];
    expect((await call("PATCH", `${anys}/c`, patch, patchType("json-patch+json"))).status).toBe(422);
  });

  it("allowed values can be written, read, patched and printed in every way", async () => {
    const levels = 490;
    const spec: unknown = JSON.parse(objects(levels));
    const specOf = async (): Promise<unknown> => at((await call("GET", `${anys}/deep`)).body, "spec");
    expect((await call("POST", anys, any("deep", objects(levels)))).status).toBe(201);
    expect(await specOf()).toEqual(spec);
    const merged = { metadata: { labels: { a: "b" } }, spec };
    expect((await call("PATCH", `${anys}/deep`, merged, patchType("merge-patch+json"))).status).toBe(200);
    const copy = [{ op: "copy", from: "/spec", path: "/copy" }];
    expect((await call("PATCH", `${anys}/deep`, copy, patchType("json-patch+json"))).status).toBe(200);
    const apply = `${anys}/deep?fieldManager=f&force=true`;
    expect((await call("PATCH", apply, any("deep", objects(levels)), patchType("apply-patch+yaml"))).status).toBe(200);
    const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const paths = [anys, `${anys}/deep`, `${anys}?watch=1&timeoutSeconds=1`];
    for (const [path = "", accept] of [...paths.map((each) => [each, table]), [`${anys}/deep`, "application/yaml"]])
      expect([path, (await call("GET", path, undefined, accept ? { accept } : {})).status]).toEqual([path, 200]);
    expect(await specOf()).toEqual(spec);
    expect((await call("DELETE", `${anys}/deep`)).status).toBe(200);
  });
});

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "anys.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "anys", kind: "Any" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
