import { FakeClock } from "@kubewright/clock/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";

const core = "/api/v1/namespaces/default";
const pods = `${core}/pods`;
const clock = new FakeClock(Date.UTC(2030, 0, 1));
let server: ApiServer;
let api: ApiClient;
beforeAll(async () => {
  server = await ApiServer.start({ tls: false, clock, disableAdmissionPlugins: ["ServiceAccount"] });
  api = new ApiClient(server);
});
afterAll(async () => {
  api.close();
  await server.stop();
});

async function pod(name: string, more: { metadata?: object; spec?: object; status?: object } = {}): Promise<void> {
  const { metadata, spec, status } = more;
  const body = { metadata: { name, ...metadata }, spec: { containers: [{ name: "c", image: "x" }], ...spec } };
  const created = await api.post(pods, body);
  if (created.status !== 201) throw new Error(created.text);
  if (status) await api.patch(`${pods}/${name}/status`, "merge", { status });
}
const target = { kind: "Node", name: "n" };

it("a binding takes its pod to the node, with its labels and annotations", async () => {
  await pod("bound", { metadata: { labels: { a: "1", b: "1" } } });
  const metadata = { name: "bound", labels: { b: "2" }, annotations: { c: "3" } };
  const { status, body } = await api.post(`${pods}/bound/binding`, { metadata, target });
  expect([status, body]).toEqual([201, expect.objectContaining({ kind: "Status", status: "Success", code: 201 })]);
  expect((await api.get(`${pods}/bound`)).body).toMatchObject({
    metadata: { labels: { a: "1", b: "2" }, annotations: { c: "3" } },
    spec: { nodeName: "n" },
    status: {
      conditions: [
        { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: "2030-01-01T00:00:00Z" },
      ],
    },
  });
});

it("a binding replaces only scheduling results", async () => {
  const conditions = [
    { type: "PodScheduled", status: "False", reason: "Unschedulable" },
    { type: "Other", status: "True" },
  ];
  await pod("waiting", { status: { conditions } });
  expect((await api.post(`${core}/bindings`, { metadata: { name: "waiting" }, target: { name: "n" } })).status).toBe(
    201,
  );
  const found = (await api.get(`${pods}/waiting`)).body.status.conditions as { type: string; status: string }[];
  expect(found.map(({ type, status }) => `${type} ${status}`)).toEqual(["Other True", "PodScheduled True"]);
});

it.each([
  [
    "of another name",
    "free",
    { metadata: { name: "x" }, target },
    400,
    "name in URL does not match name in Binding object",
  ],
  [
    "to no node",
    "free",
    { metadata: { name: "free" }, target: { kind: "Pod", name: "n" } },
    500,
    'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
  ],
  ["to nowhere", "free", { metadata: { name: "free" }, target: { name: "" } }, 500, "target.name: Required value"],
  ["of no pod", "none", { metadata: { name: "none" }, target }, 404, 'pods "none" not found'],
  [
    "of a pod that has a node",
    "taken",
    { metadata: { name: "taken" }, target },
    409,
    'Operation cannot be fulfilled on pods/binding "taken": pod taken is already assigned to node "n"',
  ],
  [
    "of a pod being deleted",
    "going",
    { metadata: { name: "going" }, target },
    409,
    'Operation cannot be fulfilled on pods/binding "going": pod going is being deleted, cannot be assigned to a host',
  ],
  [
    "for another namespace",
    "free",
    { metadata: { name: "free", namespace: "other" }, target },
    400,
    "the namespace of the provided object does not match the namespace sent on the request",
  ],
])("rejects a binding %s", async (_what, name, binding, code, message) => {
  if (name !== "none" && (await api.get(`${pods}/${name}`)).status === 404)
    await pod(name, {
      ...(name === "taken" ? { spec: { nodeName: "n" } } : {}),
      ...(name === "going" ? { metadata: { finalizers: ["x.io/y"] } } : {}),
    });
  if (name === "going") await api.delete(`${pods}/going`);
  const { body } = await api.post(`${pods}/${name}/binding`, binding);
  expect([body.code, body.message]).toEqual([code, message]);
});

it("a dry-run binding does not change the pod", async () => {
  await pod("tried");
  const binding = { metadata: { name: "tried" }, target };
  expect((await api.post(`${pods}/tried/binding?dryRun=All`, binding)).status).toBe(201);
  expect((await api.get(`${pods}/tried`)).body.spec.nodeName).toBeUndefined();
});

it.each([
  ["Succeeded", 201],
  ["Failed", 201],
  ["Pending", 201],
  ["Running", 429],
])("an eviction of a pod that is %s answers %i if no disruption is allowed", async (phase, status) => {
  const name = `e-${phase.toLowerCase()}`;
  const labels = { phase };
  const budget = { metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: labels } } };
  await api.post("/apis/policy/v1/namespaces/default/poddisruptionbudgets", budget);
  await pod(name, {
    metadata: { labels },
    status: { phase, conditions: [{ type: "Ready", status: "True" }] },
  });
  expect((await api.post(`${pods}/${name}/eviction`, { metadata: { name } })).status).toBe(status);
  expect((await api.get(`${pods}/${name}`)).status).toBe(status === 201 ? 404 : 200);
});

it("an eviction writes its reason into the pod once, and nothing in a dry run", async () => {
  await pod("evicted", { metadata: { finalizers: ["x.io/y"] }, status: { phase: "Running" } });
  const eviction = { metadata: { name: "evicted" } };
  for (const [query, body] of [
    ["?dryRun=All", eviction],
    ["", { ...eviction, deleteOptions: { dryRun: ["All"] } }],
  ] as const) {
    expect((await api.post(`${pods}/evicted/eviction${query}`, body)).status).toBe(201);
    const { metadata, status } = (await api.get(`${pods}/evicted`)).body;
    expect([metadata.deletionTimestamp, status.conditions]).toEqual([undefined, undefined]);
  }
  for (let i = 0; i < 2; i++) {
    expect((await api.post(`${pods}/evicted/eviction`, eviction)).status).toBe(201);
    const { metadata, status } = (await api.get(`${pods}/evicted`)).body;
    expect(metadata.deletionTimestamp).toBe("2030-01-01T00:00:00Z");
    expect(status.conditions).toMatchObject([
      {
        type: "DisruptionTarget",
        status: "True",
        reason: "EvictionByEvictionAPI",
        message: "Eviction API: evicting",
        lastTransitionTime: "2030-01-01T00:00:00Z",
      },
    ]);
  }
});

it("an eviction requires the matching pod, and at most one budget", async () => {
  const labels = { app: "twice" };
  await pod("twice", { metadata: { labels }, status: { phase: "Running" } });
  const evict = (body: object) => api.post(`${pods}/twice/eviction`, { metadata: { name: "twice" }, ...body });
  const other = await api.post(`${pods}/twice/eviction`, { metadata: { name: "x" } });
  expect([other.status, other.body.message]).toEqual([400, "name in URL does not match name in Eviction object"]);
  expect((await evict({ deleteOptions: { preconditions: { uid: "other" } } })).status).toBe(409);
  expect((await evict({ deleteOptions: { preconditions: { resourceVersion: "1" } } })).status).toBe(409);
  expect((await api.get(`${pods}/twice`)).body.status.conditions).toBeUndefined();
  for (const name of ["twice-a", "twice-b"])
    await api.post("/apis/policy/v1/namespaces/default/poddisruptionbudgets", {
      metadata: { name },
      spec: { minAvailable: 0, selector: { matchLabels: labels } },
    });
  const { status, body } = await evict({});
  expect([status, body.message]).toEqual([
    500,
    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
  ]);
});

it("adds containers to a running pod; changes and removes none", async () => {
  await pod("debugged");
  const path = `${pods}/debugged/ephemeralcontainers`;
  const debug = (name: string, image = "x") => ({ name, image, terminationMessagePolicy: "File" });
  const put = async (...ephemeralContainers: object[]) => {
    const { body } = await api.get(`${pods}/debugged`);
    return api.put(path, { ...body, spec: { ...body.spec, ephemeralContainers } });
  };
  expect((await put(debug("one"))).status).toBe(200);
  expect((await put(debug("one"), debug("two"))).status).toBe(200);
  const changed = await put(debug("one", "y"), debug("two"));
  expect([changed.status, changed.body.message]).toEqual([
    422,
    expect.stringContaining(
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "one" may not be changed',
    ),
  ]);
  const removed = await put(debug("two"));
  expect([removed.status, removed.body.message]).toEqual([
    422,
    expect.stringContaining(
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "one" may not be removed',
    ),
  ]);
  const { spec } = (await api.get(`${pods}/debugged`)).body;
  expect(spec.ephemeralContainers.map(({ name }: { name: string }) => name)).toEqual(["one", "two"]);
});

it("reports only the storage as a healthy component", async () => {
  const { body } = await api.get("/api/v1/componentstatuses");
  const shown = body.items.map(({ metadata, conditions }: { metadata: { name: string }; conditions: object[] }) => [
    metadata.name,
    conditions[0],
  ]);
  const refused = (port: number) => ({
    type: "Healthy",
    status: "False",
    message: `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`,
  });
  expect(shown).toEqual([
    ["scheduler", refused(10_259)],
    ["controller-manager", refused(10_257)],
    ["etcd-0", { type: "Healthy", status: "True", message: "ok" }],
  ]);
  expect((await api.get("/api/v1/componentstatuses/etcd-0")).body).toMatchObject({ metadata: { name: "etcd-0" } });
  const none = await api.get("/api/v1/componentstatuses/none");
  expect([none.status, none.body.message]).toEqual([404, 'componentstatus "none" not found']);
  const chosen = await api.get("/api/v1/componentstatuses?fieldSelector=metadata.name%3Dscheduler");
  expect(chosen.body.items).toHaveLength(1);
});

it.each([
  [undefined, 200],
  ["*/*", 200],
  ["text/html, application/*;q=0.5", 200],
  ["application/json", 200],
  ["text/html", 406],
  ["application/jwk-set+json", 406],
])("shows the keys of tokens to clients that accept %s: %i", async (accept, status) => {
  const answer = await api.get(
    "/.well-known/openid-configuration",
    accept === undefined ? {} : { headers: { accept } },
  );
  expect(answer.status).toBe(status);
  if (status === 200) expect(answer.headers["cache-control"]).toBe("public, max-age=3600");
  else expect(answer.body.message).toBe("406: Not Acceptable\n\nAvailable representations: application/json");
});

it("the keys of tokens have their own media type, and are read-only", async () => {
  const { status, headers } = await api.get("/openid/v1/jwks");
  expect([status, headers["content-type"]]).toEqual([200, "application/jwk-set+json"]);
  expect((await api.post("/openid/v1/jwks", {})).status).toBe(405);
  expect((await api.get("/openid/v1/other")).status).toBe(404);
});
