import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { CertificateAuthority } from "@kubewright/certificates";
import { ApiServer } from "@kubewright/kube-apiserver";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { at, type Call, caller, patchType } from "./caller.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const registration = "/apis/admissionregistration.k8s.io/v1";
const json = patchType("json-patch+json");
const rejected = "the server rejected our request due to an error in our request";
const tooMuch = "Unable to complete the copy, the accumulated size increase of copy is";

/** Thirty steps would turn a few bytes into a gigabyte, forty into a terabyte. */
const doubling = Array.from({ length: 40 }, (_, i) => ({ op: "copy", from: "/data", path: `/data/x${i}` }));

let server: ApiServer;
let call: Call;
beforeAll(async () => {
  server = await ApiServer.start({ tls: false });
  call = caller(server);
});
afterAll(() => server.stop());
beforeEach(async () => {
  await call("POST", configMaps, { metadata: { name: "c" }, data: { a: "1" } });
});
afterEach(async () => {
  await call("DELETE", `${configMaps}/c`);
});

describe("a client's JSON patch costs others neither memory nor time, and never causes a server error:", () => {
  const malformed = (message: string) => `error decoding patch: [0]${message}`;
  it.each<readonly [what: string, patch: unknown, status: number, message: string]>([
    ["copies that double", doubling, 422, rejected],
    ["a tower of copies", [{ op: "add", path: "/z", value: { a: 1 } }, ...doublingOf("/z")], 422, rejected],
    ["no path", [{ op: "add" }], 422, rejected],
    ["no path to remove", [{ op: "remove" }], 422, rejected],
    ["no path to test", [{ op: "test" }], 422, rejected],
    ["no source to copy", [{ op: "copy", path: "/data/x" }], 422, rejected],
    ["no source to move", [{ op: "move", path: "/data/x" }], 422, rejected],
    ["no operation", [{}], 422, rejected],
    ["null for an operation", [null], 422, rejected],
    ["null for a path", [{ op: "add", path: null, value: 1 }], 422, rejected],
    ["an unknown operation", [{ op: "frob", path: "/data" }], 422, rejected],
    ["a path that begins nowhere", [{ op: "add", path: "data", value: {} }], 422, rejected],
    ["the whole object added to itself", [{ op: "copy", from: "", path: "/data/x" }], 422, rejected],
    ["moving into itself", [{ op: "move", from: "/data", path: "/data/x" }], 422, rejected],
    ["removing the whole", [{ op: "remove", path: "" }], 422, rejected],
    ["null for the whole", [{ op: "replace", path: "", value: null }], 422, rejected],
    ["a number for an operation", [1], 400, malformed(": expected object, got number")],
    ["a number for its name", [{ op: 1 }], 400, malformed(".op: expected string, got number")],
    ["a list for a path", [{ op: "add", path: [] }], 400, malformed(".path: expected string, got array")],
    [
      "an object for a source",
      [{ op: "copy", from: {}, path: "/x" }],
      400,
      malformed(".from: expected string, got object"),
    ],
    [
      "more operations than 10,000",
      Array.from({ length: 10_001 }, () => ({})),
      413,
      "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    ],
    [
      "a long list shifted again and again",
      [
        { op: "add", path: "/data/l", value: Array.from({ length: 60_000 }, () => 0) },
        ...Array.from({ length: 9_000 }, () => ({ op: "add", path: "/data/l/0", value: 0 })),
      ],
      422,
      rejected,
    ],
    ["a path of a million steps", [{ op: "add", path: "/a".repeat(1_000_000), value: 0 }], 422, rejected],
  ])("%s", async (_what, patch, status, message) => {
    const started = process.cpuUsage();
    const answer = await call("PATCH", `${configMaps}/c`, patch, json);
    expect([answer.status, at(answer.body, "message")]).toEqual([status, message]);
    expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
    expect(at((await call("GET", `${configMaps}/c`)).body, "data")).toEqual({ a: "1" });
  });

  it("an error that contains the object costs no more for many operations", async () => {
    const data = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, "v"]));
    await call("PATCH", `${configMaps}/c`, { data }, patchType("merge-patch+json"));
    const tests = Array.from({ length: 9_000 }, (_, i) => ({ op: "test", path: `/data/k${i % 2_000}`, value: "v" }));
    const started = process.cpuUsage();
    const answer = await call("PATCH", `${configMaps}/c`, [...tests, { op: "add", path: "/data", value: 1 }], json);
    expect(answer.status).toBe(422);
    expect(process.cpuUsage(started).user).toBeLessThan(3_000_000);
  });
});

function doublingOf(path: string) {
  return Array.from({ length: 40 }, (_, i) => ({ op: "copy", from: path, path: `${path}/x${i}` }));
}

describe("a patch of an admission policy", () => {
  it("may copy no more than one of a client", async () => {
    const name = "doubling";
    const steps = doubling.map(({ from, path }) => `JSONPatch{op: "copy", from: "${from}", path: "${path}"}`);
    const policies = `${registration}/mutatingadmissionpolicies`;
    const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] };
    const spec = {
      reinvocationPolicy: "Never",
      matchConstraints: { resourceRules: [rule] },
      matchConditions: [{ name: "meant", expression: 'object.metadata.name == "victim"' }],
      mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: `[${steps.join(", ")}]` } }],
    };
    expect((await call("POST", policies, { metadata: { name }, spec })).status).toBe(201);
    const bindings = `${registration}/mutatingadmissionpolicybindings`;
    await call("POST", bindings, { metadata: { name }, spec: { policyName: name } });
    const { status, body } = await call("POST", configMaps, { metadata: { name: "victim" }, data: { a: "1" } });
    expect([status, at(body, "message")]).toEqual([403, expect.stringContaining(tooMuch)]);
    await call("DELETE", `${bindings}/${name}`);
    await call("DELETE", `${policies}/${name}`);
  });
});

describe("a webhook", () => {
  const authority = new CertificateAuthority("hooks");
  let hook: Server;
  let operations: unknown;
  beforeAll(async () => {
    const { certificate, key } = authority.issueServer("hook", ["127.0.0.1"]);
    hook = createServer({ cert: certificate, key }, async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const review: unknown = JSON.parse(Buffer.concat(chunks).toString());
      const patch = Buffer.from(JSON.stringify(operations)).toString("base64");
      const answer = { uid: at(review, "request", "uid"), allowed: true, patchType: "JSONPatch", patch };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: answer }));
    });
    await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
    const { port } = hook.address() as AddressInfo;
    const caBundle = Buffer.from(authority.certificate).toString("base64");
    const webhook = {
      name: "hook.example.com",
      clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle },
      rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["secrets"] }],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    };
    const { status } = await call("POST", `${registration}/mutatingwebhookconfigurations`, {
      metadata: { name: "hook" },
      webhooks: [webhook],
    });
    expect(status).toBe(201);
  });
  afterAll(() => {
    hook.closeAllConnections();
    hook.close();
  });

  const created = async (patch: unknown) => {
    operations = patch;
    const answer = await call("POST", "/api/v1/namespaces/default/secrets", {
      metadata: { generateName: "s-" },
      data: { a: "MQ==" },
    });
    return [answer.status, at(answer.body, "message") ?? at(answer.body, "data")];
  };

  it("may copy no more than a client", async () => {
    expect(await created(doubling)).toEqual([500, expect.stringContaining(`${tooMuch} `)]);
  });

  it("that sends an incomplete operation gets an error that names the missing part", async () => {
    const missing = (why: string) => [500, expect.stringContaining(why)];
    expect(await created([{ op: "add" }])).toEqual(missing("add operation failed to decode path: missing value"));
    expect(await created([null])).toEqual(missing("Unexpected kind: unknown"));
  });

  it("sets no prototype, and adds members with any name", async () => {
    const prototype = { op: "add", path: "/__proto__/resources", value: ["*"] };
    expect(await created([prototype])).toEqual([500, expect.stringContaining("doc is missing path")]);
    expect(await created([{ op: "add", path: "/__proto__", value: { resources: ["*"] } }])).toEqual([
      201,
      { a: "MQ==" },
    ]);
    const named = [{ op: "add", path: "/data/__proto__", value: "Mg==" }];
    expect(await created(named)).toEqual([201, JSON.parse('{"a":"MQ==","__proto__":"Mg=="}')]);
    expect(Reflect.get({}, "resources")).toBeUndefined();
  });
});
