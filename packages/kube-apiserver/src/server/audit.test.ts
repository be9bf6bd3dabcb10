import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ApiClient } from "./testing/api-client.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "audit-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const configMaps = "/api/v1/namespaces/default/configmaps";
const path = (name: string): string => join(directory, name);

/** Runs a server with this policy, performs actions, and returns the log. */
async function logOf(policy: string | undefined, happen: (api: ApiClient) => Promise<unknown>) {
  if (policy !== undefined) writeFileSync(path("policy.yaml"), policy);
  const server = await ApiServer.start({
    tls: false,
    authorization: ["RBAC"],
    users: [{ name: "bob" }],
    auditLogPath: path("audit.log"),
    ...(policy === undefined ? {} : { auditPolicyFile: path("policy.yaml") }),
  });
  const api = new ApiClient(server);
  await happen(api);
  api.close();
  await server.stop();
  const lines = readFileSync(path("audit.log"), "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}

const policy = (rules: string): string => `apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: ${rules}\n`;

test("records the metadata of each request at its stages without a policy", async () => {
  const events = await logOf(undefined, (api) => api.get(`${configMaps}/nope`));
  expect(events).toHaveLength(2);
  expect(events[1]).toMatchObject({
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    stage: "ResponseComplete",
    requestURI: `${configMaps}/nope`,
    verb: "get",
    user: { username: "admin", groups: ["system:masters", "system:authenticated"] },
    sourceIPs: ["127.0.0.1"],
    userAgent: "test/1",
    objectRef: { resource: "configmaps", namespace: "default", name: "nope", apiVersion: "v1" },
    responseStatus: { status: "Failure", reason: "NotFound", code: 404 },
    annotations: { "authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": "" },
  });
  expect(events[0]).toMatchObject({ stage: "RequestReceived", auditID: events[1].auditID });
  expect(events[0]).not.toHaveProperty("responseStatus");
});

test("names an object by the body if the URL does not, with UID and version", async () => {
  const events = await logOf(undefined, async (api) => {
    await api.post(configMaps, { metadata: { name: "made" } });
    await api.put(`${configMaps}/made`, { metadata: { name: "made", uid: "u", resourceVersion: "1" } });
    return api.patch(`${configMaps}/made`, "merge", { metadata: { uid: "p" } });
  });
  const refs = events.filter(({ stage }) => stage === "ResponseComplete").map(({ objectRef }) => objectRef);
  const made = { resource: "configmaps", namespace: "default", name: "made", apiVersion: "v1" };
  expect(refs).toEqual([made, { ...made, uid: "u", resourceVersion: "1" }, made]);
});

test("records both objects at level RequestResponse, the first as sent", async () => {
  const rules =
    '[{level: RequestResponse, omitStages: [RequestReceived], resources: [{group: "", resources: [configmaps]}]}]';
  const events = await logOf(policy(rules), async (api) => {
    await api.post(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "b" } });
    await api.patch(`${configMaps}/a`, "merge", { data: { a: "c" } });
    await api.get("/api/v1/namespaces/default");
  });
  expect(events).toHaveLength(2);
  expect(events[0]).toMatchObject({
    verb: "create",
    objectRef: { name: "a" },
    requestObject: { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, data: { a: "b" } },
    responseObject: { metadata: { resourceVersion: expect.any(String) }, data: { a: "b" } },
    responseStatus: { metadata: {}, code: 201 },
  });
  expect(events[1]).toMatchObject({
    verb: "patch",
    requestObject: { data: { a: "c" } },
    responseObject: { data: { a: "c" } },
  });
});

test("uses the first matching rule, and records nothing without one", async () => {
  const rules = `
- {level: None, users: [bob]}
- {level: Metadata, verbs: [get], nonResourceURLs: ["/api*"]}
- {level: Metadata, namespaces: [default], resources: [{group: "", resources: ["*/status"]}], omitStages: [RequestReceived]}`;
  const events = await logOf(policy(rules), async (api) => {
    await api.get("/api");
    await api.get("/version");
    await api.get(`${configMaps}/a`);
    await api.get("/api/v1/namespaces/default/pods/p/status");
  });
  expect(events.map(({ stage, requestURI }) => `${stage} ${requestURI}`)).toEqual([
    "RequestReceived /api",
    "ResponseComplete /api",
    "ResponseComplete /api/v1/namespaces/default/pods/p/status",
  ]);
});

test("records an impersonating user too, and rejections", async () => {
  const events = await logOf(undefined, (api) => api.get(configMaps, { headers: { "impersonate-user": "bob" } }));
  expect(events[1]).toMatchObject({
    user: { username: "admin" },
    impersonatedUser: { username: "bob" },
    responseStatus: { code: 403, reason: "Forbidden" },
    annotations: { "authorization.k8s.io/decision": "forbid" },
  });
});

test("records the start and the end of a watch", async () => {
  const events = await logOf(undefined, async (api) => {
    for await (const _event of api.watch("/api/v1/namespaces?watch=true")) break;
  });
  expect(events.map(({ stage }) => stage)).toEqual(["RequestReceived", "ResponseStarted", "ResponseComplete"]);
});

test.each([
  ["[]", "rules: loaded illegal policy with 0 rules; add at least one"],
  [
    "[{level: Loud}]",
    'rules[0].level: Unsupported value: "Loud": supported values: "None", "Metadata", "Request", "RequestResponse"',
  ],
  ["[{level: None, omitStages: [Late]}]", 'rules[0].omitStages[0]: Invalid value: "Late": allowed stages are '],
])("rejects a policy with rules %s", async (rules, message) => {
  const start = logOf(policy(rules), async () => {});
  await expect(start).rejects.toThrow(
    `failed to load audit policy file ${path("policy.yaml")}: audit policy: ${message}`,
  );
});
