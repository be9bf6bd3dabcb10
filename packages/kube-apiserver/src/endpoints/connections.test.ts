import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";

const core = "/api/v1/namespaces/default";
let server: ApiServer;
let api: ApiClient;
let reader: ApiClient;

const container = (name: string) => ({ name, image: "x" });
async function pod(name: string, spec: object = {}, status?: object): Promise<void> {
  const created = await api.post(`${core}/pods`, {
    metadata: { name },
    spec: { containers: [container("c")], ...spec },
  });
  if (created.status !== 201) throw new Error(created.text);
  if (status) await api.patch(`${core}/pods/${name}/status`, "merge", { status });
}
async function node(name: string, status: object): Promise<void> {
  await api.post("/api/v1/nodes", { metadata: { name } });
  await api.patch(`/api/v1/nodes/${name}/status`, "merge", { status });
}
const address = (type: string, address: string) => ({ type, address });

beforeAll(async () => {
  server = await ApiServer.start({
    tls: false,
    disableAdmissionPlugins: ["ServiceAccount"],
    authorization: ["RBAC"],
    users: [{ name: "reader", groups: [] }],
  });
  api = new ApiClient(server);
  reader = new ApiClient(server, "reader");
  await node("here", { addresses: [address("Other", "10.0.0.8"), address("InternalIP", "10.0.0.9")] });
  await node("loop", { addresses: [address("InternalIP", "127.0.0.1")] });
  await node("named", { addresses: [address("InternalIP", "127.0.0.1"), address("Hostname", "named")] });
  await node("nowhere", { addresses: [address("Other", "10.0.0.8"), address("InternalIP", "")] });
  await pod("one", { nodeName: "here" });
  await pod("two", { nodeName: "here", initContainers: [container("i")] });
  await pod("idle");
  await pod("lost", { nodeName: "gone" });
  await pod("unreachable", { nodeName: "nowhere" });
});
afterAll(async () => {
  api.close();
  reader.close();
  await server.stop();
});

const notImplemented = 501;
const upgrade = { headers: { connection: "keep-alive, Upgrade", upgrade: "websocket" } };

it.each([
  ["one", "", 400, "Upgrade request required"],
  ["one", "container=c", 400, "Upgrade request required"],
  ["one", "container=x", 400, "container x is not valid for pod one"],
  ["two", "", 400, "a container name must be specified for pod two, choose one of: [i c]"],
  ["two", "container=i", 400, "Upgrade request required"],
  ["idle", "", 400, "pod idle does not have a host assigned"],
  ["lost", "", 404, 'pods "gone" not found'],
  ["unreachable", "", 500, "no preferred addresses found; known addresses: [{Other 10.0.0.8} {InternalIP }]"],
  ["none", "", 404, 'pods "none" not found'],
])("a connection to a container of pod %s with '%s' ends with %i %s", async (name, query, status, message) => {
  for (const subresource of ["exec", "attach"]) {
    const { body } = await api.post(`${core}/pods/${name}/${subresource}?command=ls&${query}`, undefined);
    expect([body.code, body.message]).toEqual([status, message]);
  }
});

it.each([
  ["one", 400, "Upgrade request required"],
  ["two", 400, "Upgrade request required"],
  ["idle", 400, "pod idle does not have a host assigned"],
  ["lost", 404, 'pods "gone" not found'],
])("a connection to a port of pod %s ends with %i %s", async (name, status, message) => {
  const { body } = await api.post(`${core}/pods/${name}/portforward?ports=80,443&ports=8080`, undefined);
  expect([body.code, body.message]).toEqual([status, message]);
});

it("a possible connection is answered as not implemented", async () => {
  for (const subresource of ["exec?command=ls", "attach", "portforward"])
    expect((await api.post(`${core}/pods/one/${subresource}`, undefined, upgrade)).status).toBe(notImplemented);
});

it.each([
  ["ports=x", 'cannot convert to []int32: strconv.ParseUint: parsing "x": invalid syntax'],
  ["ports=80,-1", 'cannot convert to []int32: strconv.ParseUint: parsing "-1": invalid syntax'],
  ["ports=65536", 'cannot convert to []int32: strconv.ParseUint: parsing "65536": value out of range'],
])("validates port numbers: %s", async (query, message) => {
  const { body } = await api.post(`${core}/pods/one/portforward?${query}`, undefined);
  expect([body.code, body.message]).toEqual([400, message]);
  expect((await api.post(`${core}/pods/one/portforward?ports=65535`, undefined, upgrade)).status).toBe(notImplemented);
});

it("a GET requires permission to POST", async () => {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const may = (...verbs: string[]) => ({
    metadata: { name: "connects" },
    rules: [{ apiGroups: [""], resources: ["pods/exec", "pods/portforward", "pods/attach"], verbs }],
  });
  await api.post(`${rbac}/clusterroles`, may("get"));
  await api.post(`${rbac}/clusterrolebindings`, {
    metadata: { name: "connects" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "connects" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "reader" }],
  });
  for (const subresource of ["exec?command=ls", "attach", "portforward"]) {
    const { body } = await reader.get(`${core}/pods/one/${subresource}`, upgrade);
    expect(body).toMatchObject({ code: 403, reason: "Forbidden" });
    expect(body.message).toMatch(/^pods "one" is forbidden: /);
  }
  await api.put(`${rbac}/clusterroles/connects`, may("get", "create"));
  expect((await reader.get(`${core}/pods/one/exec?command=ls`, upgrade)).status).toBe(notImplemented);
});

it.each([
  ["one", "", notImplemented, undefined],
  ["idle", "", 204, undefined],
  ["idle", "container=x", 400, "container x is not valid for pod idle"],
  ["two", "", 400, "a container name must be specified for pod two, choose one of: [i c]"],
  ["lost", "", 404, 'pods "gone" not found'],
  ["idle", "tailLines=0&limitBytes=1&sinceSeconds=1", 204, undefined],
  ["idle", "sinceTime=2026-01-01T00:00:00Z", 204, undefined],
  ["idle", "sinceTime=2026-01-01T00:00:00.5%2B01:00", 204, undefined],
  ["idle", "sinceTime=0&sinceSeconds=1", 204, undefined],
  ["idle", "tailLines=-1", 422, "tailLines: Invalid value: -1: must be greater than or equal to 0"],
  ["idle", "limitBytes=0", 422, "limitBytes: Invalid value: 0: must be greater than 0"],
  ["idle", "sinceSeconds=0", 422, "sinceSeconds: Invalid value: 0: must be greater than 0"],
  [
    "idle",
    "sinceSeconds=0&sinceTime=2026-01-01T00:00:00Z",
    422,
    "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified",
  ],
  ["idle", "stream=All", 422, "stream: Forbidden: may not be specified"],
  ["idle", "tailLines=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
  ["idle", "tailLines=9223372036854775808", 400, 'parsing "9223372036854775808": value out of range'],
  ["idle", "sinceTime=yesterday", 400, 'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00"'],
])("logs of pod %s with '%s' end with %i %s", async (name, query, status, message) => {
  const answer = await api.get(`${core}/pods/${name}/log?${query}`);
  expect(answer.status).toBe(status);
  if (message !== undefined) expect(answer.body.message).toContain(message);
});

it.each([
  ["here", notImplemented, undefined],
  ["http:here:80", notImplemented, undefined],
  ["https:here:", notImplemented, undefined],
  ["here:80", notImplemented, undefined],
  ["ftp:here:80", 400, 'invalid node request "ftp:here:80"'],
  ["http::80", 400, 'invalid node request "http::80"'],
  ["a:b:c:d", 400, 'invalid node request "a:b:c:d"'],
  ["named", notImplemented, undefined],
  ["loop", 400, "address not allowed"],
  ["gone", 404, 'nodes "gone" not found'],
  ["nowhere", 500, "no preferred addresses found; known addresses: [{Other 10.0.0.8} {InternalIP }]"],
])("a proxy to node %s ends with %i %s", async (name, status, message) => {
  const { body } = await api.get(`/api/v1/nodes/${encodeURIComponent(name)}/proxy/healthz`);
  expect(body.code).toBe(status);
  if (message !== undefined) expect(body.message).toBe(message);
});

it.each([
  ["10.1.2.3", true],
  ["1.127.0.1", true],
  ["223.255.255.255", true],
  ["240.0.0.1", true],
  ["169.253.1.1", true],
  ["127.0.0.1", false],
  ["224.0.0.1", false],
  ["239.1.1.1", false],
  ["169.254.1.1", false],
  ["0.0.0.0", false],
  ["255.255.255.255", false],
  ["fd00::1", true],
  ["2001:db8::1", true],
  ["::1", false],
  ["::", false],
  ["ff02::1", false],
  ["fe80::1", false],
  ["febf::1", false],
])("a pod at %s is reachable by proxy: %s", async (ip, isReached) => {
  const name = `at-${ip.replaceAll(/[.:]+/g, "-")}x`;
  await pod(name, {}, { podIPs: [{ ip }], podIP: ip });
  const { body } = await api.get(`${core}/pods/${name}/proxy/`);
  expect([body.code, body.message === "address not allowed"]).toEqual([isReached ? notImplemented : 400, !isReached]);
});

it("a pod without an address is not reachable by proxy", async () => {
  const { body } = await api.get(`${core}/pods/idle/proxy`);
  expect([body.code, body.message]).toEqual([400, "address not allowed"]);
});

it("a proxy to a Service finds ready addresses by port name", async () => {
  const ports = [
    { name: "web", port: 80 },
    { name: "admin", port: 81 },
  ];
  for (const name of ["s", "empty"]) await api.post(`${core}/services`, { metadata: { name }, spec: { ports } });
  await api.post(`${core}/services`, { metadata: { name: "plain" }, spec: { ports: [{ port: 80 }] } });
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
  await api.post(`${core}/pods`, pod);
  await api.patch(`${core}/pods/p/status`, "merge", { status: { podIPs: [{ ip: "10.1.1.1" }] } });
  const slice = async (service: string, port: object, ready: boolean | undefined, address = "10.1.1.1") =>
    api.post(`/apis/discovery.k8s.io/v1/namespaces/default/endpointslices`, {
      metadata: { generateName: `${service}-`, labels: { "kubernetes.io/service-name": service } },
      addressType: "IPv4",
      ports: [port],
      endpoints: [{ addresses: [address], conditions: { ready }, targetRef: { namespace: "default", name: "p" } }],
    });
  await slice("s", { name: "web", port: 8080 }, undefined);
  await slice("s", { name: "admin", port: 8081 }, false);
  await slice("plain", { port: 8080 }, true);
  await slice("moved", { name: "web", port: 8080 }, true, "10.1.1.2");
  const outcome = async (name: string) => {
    const { body } = await api.get(`${core}/services/${name}/proxy/`);
    return [body.code, body.code === notImplemented ? "" : body.message];
  };
  expect(await outcome("plain")).toEqual([notImplemented, ""]);
  expect(await outcome("plain:80")).toEqual([notImplemented, ""]);
  expect(await outcome("s:web")).toEqual([notImplemented, ""]);
  expect(await outcome("s:80")).toEqual([notImplemented, ""]);
  expect(await outcome("https:s:web")).toEqual([notImplemented, ""]);
  expect(await outcome("moved:web")).toEqual([503, 'no endpoints available for service "moved"']);
  expect(await outcome("s")).toEqual([503, 'no endpoints available for service "s"']);
  expect(await outcome("s:admin")).toEqual([503, 'no endpoints available for service "s"']);
  expect(await outcome("s:82")).toEqual([503, 'no service port 82 found for service "s"']);
  expect(await outcome("empty:web")).toEqual([503, 'no endpoints available for service "empty"']);
  expect(await outcome("gone")).toEqual([503, 'no endpoints available for service "gone"']);
  expect(await outcome("gone:80")).toEqual([404, 'services "gone" not found']);
  expect(await outcome("x:s:80")).toEqual([400, 'invalid service request "x:s:80"']);
});
