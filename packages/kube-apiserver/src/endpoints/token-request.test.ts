import { FakeClock } from "@kubewright/clock/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";

const core = "/api/v1/namespaces/default";
const now = Date.UTC(2030, 0, 1);
const tokens = `${core}/serviceaccounts/robot/token`;
let server: ApiServer;
let api: ApiClient;
const uids = { account: "", pod: "", secret: "", node: "" };

beforeAll(async () => {
  server = await ApiServer.start({
    tls: false,
    clock: new FakeClock(now),
    disableAdmissionPlugins: ["ServiceAccount"],
  });
  api = new ApiClient(server);
  const make = async (path: string, body: object): Promise<string> => (await api.post(path, body)).body.metadata.uid;
  const spec = { containers: [{ name: "c", image: "x" }] };
  uids.account = await make(`${core}/serviceaccounts`, { metadata: { name: "robot" } });
  uids.node = await make("/api/v1/nodes", { metadata: { name: "n" } });
  uids.pod = await make(`${core}/pods`, {
    metadata: { name: "own" },
    spec: { ...spec, serviceAccountName: "robot", nodeName: "n" },
  });
  await make(`${core}/pods`, { metadata: { name: "idle" }, spec: { ...spec, serviceAccountName: "robot" } });
  await make(`${core}/pods`, { metadata: { name: "foreign" }, spec: { ...spec, serviceAccountName: "other" } });
  uids.secret = await make(`${core}/secrets`, { metadata: { name: "s" } });
});
afterAll(async () => {
  api.close();
  await server.stop();
});

const ask = (spec: object = {}, metadata: object = {}) => api.post(tokens, { metadata, spec });
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
const seconds = now / 1_000;

it("a token has a lifetime of an hour, this server's audience, and the account's name", async () => {
  const { status, body } = await ask();
  expect([status, body.kind, body.apiVersion]).toEqual([201, "TokenRequest", "authentication.k8s.io/v1"]);
  expect(body.metadata).toMatchObject({
    name: "robot",
    namespace: "default",
    creationTimestamp: "2030-01-01T00:00:00Z",
  });
  expect(body.spec).toMatchObject({ expirationSeconds: 3_600 });
  expect(body.spec.audiences.length).toBeGreaterThan(0);
  expect(body.status.expirationTimestamp).toBe("2030-01-01T01:00:00Z");
  expect(claimsOf(body.status.token)).toMatchObject({
    aud: body.spec.audiences,
    exp: seconds + 3_600,
    iat: seconds,
    nbf: seconds,
    sub: "system:serviceaccount:default:robot",
    "kubernetes.io": { namespace: "default", serviceaccount: { name: "robot", uid: uids.account } },
  });
  expect(claimsOf(body.status.token)["kubernetes.io"]).not.toHaveProperty("warnafter");
});

it("a token has the requested audiences and lifetime", async () => {
  const { body } = await ask({ audiences: ["vault"], expirationSeconds: 600 }, { name: "robot", uid: uids.account });
  expect(claimsOf(body.status.token)).toMatchObject({ aud: ["vault"], exp: seconds + 600 });
});

const ref = (kind: string, name: string, more: object = {}) => ({
  boundObjectRef: { kind, apiVersion: "v1", name, ...more },
});
it.each<[string, object, () => object]>([
  [
    "a pod and its node",
    ref("Pod", "own"),
    () => ({ pod: { name: "own", uid: uids.pod }, node: { name: "n", uid: uids.node } }),
  ],
  ["a Secret", ref("Secret", "s"), () => ({ secret: { name: "s", uid: uids.secret } })],
  ["a node", ref("Node", "n"), () => ({ node: { name: "n", uid: uids.node } })],
])("a token is bound to %s", async (_what, spec, bound) => {
  const { body } = await ask(spec);
  const { serviceaccount: _account, namespace: _namespace, ...rest } = claimsOf(body.status.token)["kubernetes.io"];
  expect(rest).toEqual(bound());
});

it("a token is bound to a pod without a node, and by its UID if given", async () => {
  const idle = claimsOf((await ask(ref("Pod", "idle"))).body.status.token)["kubernetes.io"];
  expect([idle.pod.name, idle.node]).toEqual(["idle", undefined]);
  expect((await ask(ref("Pod", "own", { uid: uids.pod }))).status).toBe(201);
});

it("a pod's token with a kubelet's lifetime lives a year, and warns earlier", async () => {
  const bound = await ask({ ...ref("Pod", "own"), expirationSeconds: 3_607 });
  const claims = claimsOf(bound.body.status.token);
  expect([claims.exp, claims["kubernetes.io"].warnafter]).toEqual([seconds + 365 * 24 * 3_600, seconds + 3_607]);
  expect(bound.body.status.expirationTimestamp).toBe("2030-01-01T01:00:07Z");
  for (const spec of [
    { expirationSeconds: 3_607 },
    { ...ref("Pod", "own"), expirationSeconds: 3_606 },
    { ...ref("Pod", "own"), expirationSeconds: 3_607, audiences: ["vault"] },
    { ...ref("Secret", "s"), expirationSeconds: 3_607 },
  ]) {
    const other = claimsOf((await ask(spec)).body.status.token);
    expect([other.exp - seconds, other["kubernetes.io"].warnafter]).toEqual([spec.expirationSeconds, undefined]);
  }
});

it.each<[string, object, object, number, string]>([
  ["for less than ten minutes", { expirationSeconds: 599 }, {}, 422, "may not specify a duration less than 10 minutes"],
  [
    "for longer than 2^32 seconds",
    { expirationSeconds: 2 ** 32 + 1 },
    {},
    422,
    "may not specify a duration larger than 2^32 seconds",
  ],
  ["of another account", {}, { name: "x" }, 422, "must match the service account name if specified"],
  [
    "of an account that was before",
    {},
    { uid: "old" },
    409,
    "the UID in the token request (old) does not match the UID of the service account",
  ],
  [
    "of another namespace",
    {},
    { namespace: "x" },
    400,
    "the namespace of the provided object does not match the namespace sent on the request",
  ],
  [
    "bound to an unsupported kind",
    ref("ConfigMap", "x"),
    {},
    400,
    "cannot bind token to object of type /v1, Kind=ConfigMap",
  ],
  [
    "bound to a pod of another group",
    ref("Pod", "own", { apiVersion: "x.io/v1" }),
    {},
    400,
    "cannot bind token to object of type x.io/v1, Kind=Pod",
  ],
  ["bound to nothing", ref("Pod", ""), {}, 400, "Name parameter required."],
  ["bound to a pod that is not there", ref("Pod", "gone"), {}, 404, 'pods "gone" not found'],
  ["bound to a Secret that is not there", ref("Secret", "gone"), {}, 404, 'secrets "gone" not found'],
  [
    "bound to another account's pod",
    ref("Pod", "foreign"),
    {},
    400,
    'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
  ],
  [
    "bound to a pod that was before",
    ref("Pod", "own", { uid: "old" }),
    {},
    409,
    "the UID in the bound object reference (old) does not match the UID in record",
  ],
])("no token is issued %s", async (_what, spec, metadata, code, message) => {
  const { status, body } = await ask(spec, metadata);
  expect([status, body.status?.token]).toEqual([code, undefined]);
  expect(body.message).toContain(message);
});

it("issues the longest and the shortest token", async () => {
  expect((await ask({ expirationSeconds: 600 })).status).toBe(201);
  expect((await ask({ expirationSeconds: 2 ** 32 })).status).toBe(201);
});

it("a token requires an existing account", async () => {
  const { body } = await api.post(`${core}/serviceaccounts/nobody/token`, { spec: {} });
  expect([body.code, body.message]).toEqual([404, 'serviceaccounts "nobody" not found']);
});
