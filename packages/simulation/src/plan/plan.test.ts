import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { defineKind, unstructured } from "@kubewright/apimachinery";
import { Client, Connection } from "@kubewright/client";
import { ConfigMap, Secret } from "@kubewright/client/kinds";
import { ApiServer } from "@kubewright/kube-apiserver";
import { Type } from "typebox";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { bodyOf, jsonResponse } from "../cluster/api-call.ts";
import { isPlanError, type ModulePlanOptions, type PlanReport, plan } from "./index.ts";

const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: Type.Object({ image: Type.String() }),
  status: Type.Object({ turn: Type.Optional(Type.Integer()) }),
});

const { signal } = new AbortController();

let folder: string;
let live: ApiServer;
let client: Client;
beforeEach(async () => {
  folder = mkdtempSync(join(import.meta.dirname, "../../.planned-"));
  live = await ApiServer.start({ listen: false, crds: [Site.crd], auditLogPath: join(folder, "audit.log") });
  client = new Client({ connection: new Connection(live.connection()), fieldOwner: "test" });
});
afterEach(async () => {
  await client.close();
  await live.stop();
  rmSync(folder, { recursive: true });
});

/** Writes a program that reconciles Sites. @param reconcile its statements @param top declarations @param building calls of the builder */
function programOf(reconcile: string, top = "", building = ""): URL {
  const path = join(folder, `program-${Math.random().toString(36).slice(2)}.ts`);
  writeFileSync(
    path,
    `import { asReconciler } from "@kubewright/controller";
import { controllerManagedBy } from "@kubewright/builder";
import { controllerReference, unstructured } from "@kubewright/apimachinery";
import { ConfigMap, Secret } from "@kubewright/client/kinds";
const Site = unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });
${top}
export function setup(manager) {
  controllerManagedBy(manager).for(Site).owns(ConfigMap)${building}.complete(asReconciler(Site, async (site, { client }) => {
    const { name, namespace } = site.metadata;
    const metadata = { name, namespace, ownerReferences: [controllerReference(site)] };
    const data = { image: site.spec.image };
    ${reconcile}
  }));
}
`,
  );
  return pathToFileURL(path);
}

const applies = "await client.apply(ConfigMap, { metadata, data }, { force: true });";

const site = (name: string, image = "nginx:1.27") =>
  client.create(Site, { metadata: { namespace: "default", name }, spec: { image } });

interface Version {
  readonly metadata: { readonly resourceVersion: string };
}
const revision = async (): Promise<string> => {
  const { body } = await client.connection.request({ path: "/api/v1/namespaces?limit=1" });
  return (JSON.parse(body.toString()) as Version).metadata.resourceVersion; // a list
};

interface AuditEvent {
  readonly verb: string;
  readonly requestReceivedTimestamp: string;
}

/** Returns the lines of the audit log, which is written in the background, once it has those of all requests until now. */
async function audited(): Promise<string[]> {
  const last = `last=${Math.random().toString(36).slice(2)}`;
  await client.connection.request({ path: `/api/v1/namespaces?labelSelector=${encodeURIComponent(last)}` });
  return await vi.waitFor(
    () => {
      const lines = readFileSync(join(folder, "audit.log"), "utf8").split("\n");
      lines.pop(); // what follows the last newline may be part of a line
      expect(lines.some((line) => line.includes(encodeURIComponent(last)))).toBe(true);
      return lines;
    },
    { timeout: 30_000, interval: 5 },
  );
}

/** Plans a program, and checks that the live cluster is only read. */
async function planned(program: URL, options: Partial<ModulePlanOptions> = {}): Promise<PlanReport> {
  const before = await revision();
  const sinceMs = Date.now();
  try {
    return await plan(program, { connection: client.connection, signal, ...options });
  } finally {
    expect(await revision()).toBe(before);
    const requests = (await audited())
      .map((line) => JSON.parse(line) as AuditEvent)
      .filter((event) => Date.parse(event.requestReceivedTimestamp) >= sinceMs);
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.filter(({ verb }) => !["get", "list", "watch"].includes(verb))).toEqual([]);
  }
}

const failureOf = async (planning: Promise<unknown>): Promise<{ reason: string; message: string }> => {
  const error = await planning.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isPlanError(error)) throw error;
  return { reason: error.reason, message: error.message };
};

const lines = ({ changes }: PlanReport): string[] =>
  changes.map(({ action, kind, name, cause, fields }) =>
    [
      action,
      kind,
      name,
      `(${cause})`,
      ...(action === "change" ? fields : []).map(({ path, from, to }) => `${path}: ${from} → ${to}`),
    ].join(" "),
  );

it("shows what the program would create, change and delete, each with its cause", { timeout: 60_000 }, async () => {
  for (const name of ["north", "south", "west"]) await site(name);
  const program = programOf(
    `if (name === "west") return client.delete(ConfigMap, { name, namespace });\n    ${applies}`,
  );
  const uid = (await client.get(Site, "default/north")).metadata.uid;
  const owner = { apiVersion: "shop.example.com/v1", kind: "Site", controller: true, blockOwnerDeletion: true };
  const ownerReferences = [{ ...owner, name: "north", uid }];
  await client.create(ConfigMap, {
    metadata: { namespace: "default", name: "north", ownerReferences },
    data: { image: "nginx:1.26", other: "x" },
  });
  await client.create(ConfigMap, { metadata: { namespace: "default", name: "west" } });
  const report = await planned(program);
  expect(lines(report)).toEqual([
    "change ConfigMap north (Site default/north) data.image: nginx:1.26 → nginx:1.27",
    "create ConfigMap south (Site default/south)",
    "delete ConfigMap west (Site default/west)",
  ]);
  expect(report).toMatchObject({ unknown: [], unchanged: 3, revision: await revision() });
  expect(report.limits).toEqual(["other operators and the cluster's controllers did not run"]);
});

it("applies manifests first, and names their file as the cause", async () => {
  await site("north");
  await client.apply(ConfigMap, { metadata: { namespace: "default", name: "north" }, data: { image: "nginx:1.27" } });
  const object = {
    apiVersion: "shop.example.com/v1",
    kind: "Site",
    metadata: { namespace: "default", name: "north" },
    spec: { image: "nginx:1.29" },
  };
  const program = programOf("await client.apply(ConfigMap, { metadata: { name, namespace }, data }, { force: true });");
  const report = await planned(program, { manifests: [{ object, source: "site.yaml" }] });
  expect(lines(report)).toEqual([
    "change ConfigMap north (Site default/north) data.image: nginx:1.27 → nginx:1.29",
    "change Site north (site.yaml) spec.image: nginx:1.27 → nginx:1.29",
  ]);
  const spec = { image: 7 };
  expect(
    await failureOf(planned(program, { manifests: [{ object: { ...object, spec }, source: "bad.yaml" }] })),
  ).toEqual({
    reason: "input",
    message: expect.stringMatching(/^bad.yaml: site.shop.example.com\/north in default: .*spec.image/),
  });
});

it("hides values of Secrets", async () => {
  await site("north");
  await client.create(Secret, { metadata: { namespace: "default", name: "north" }, data: { key: "c2VjcmV0LW9sZA==" } });
  const data = `{ key: Buffer.from("secret-new").toString("base64") }`;
  const report = await planned(
    programOf(`await client.apply(Secret, { metadata: { name, namespace }, data: ${data} }, { force: true });`),
  );
  expect(report.changes).toMatchObject([{ action: "change", kind: "Secret", fields: [{ path: "data.key" }] }]);
  expect(JSON.stringify(report)).not.toMatch(/secret-(new|old)|c2VjcmV0/);
});

it("refuses connections that are not allowed, and names the object that wants them", async () => {
  const server = createServer((request, response) => {
    if (request.url === "/moved") response.writeHead(302, { location: "http://127.0.0.1:1/" });
    response.end("nginx:1.30");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    for (const name of ["north", "south"]) await site(name);
    const get = `await new Promise((resolve, reject) =>
      http.get({ host: "127.0.0.1", port: ${port} }, (answer) => { answer.resume(); answer.on("end", resolve); }).on("error", reject))`;
    const program = programOf(
      `if (name === "south") data.image = await (await fetch("http://127.0.0.1:${port}/")).text();
    else ${get};
    ${applies}`,
      `import http from "node:http";`,
    );
    const refused = await planned(program);
    const reason = `connection to 127.0.0.1:${port} was refused (pass --allow 127.0.0.1:${port})`;
    expect(refused).toMatchObject({ changes: [], unchanged: 0 });
    expect(refused.unknown).toEqual([
      { object: "Site default/north", reason },
      { object: "Site default/south", reason },
    ]);
    const allowed = await planned(program, { allow: [`127.0.0.1:${port}`] });
    expect(allowed.unknown).toEqual([]);
    expect(allowed.changes.map(({ name, fields }) => [name, fields[1]])).toEqual([
      ["north", { path: "data", to: { image: "nginx:1.27" } }],
      ["south", { path: "data", to: { image: "nginx:1.30" } }],
    ]);
    const moved = programOf(`if (name === "south") await fetch("http://127.0.0.1:${port}/moved");`);
    expect(await planned(moved, { allow: [`127.0.0.1:${port}`] })).toMatchObject({
      unknown: [{ object: "Site default/south", reason: expect.stringContaining("127.0.0.1:1") }],
    });
  } finally {
    server.close();
  }
});

it("refuses child processes, and names the object that wants them", async () => {
  for (const name of ["north", "south"]) await site(name);
  const trace = join(folder, "trace");
  const top = `import { spawn } from "node:child_process"; import { Worker } from "node:worker_threads";`;
  const command = `["-e", "fs.writeFileSync(process.argv[1], '')", ${JSON.stringify(trace)}]`;
  const thread = `new Worker("fs.writeFileSync(" + JSON.stringify(${JSON.stringify(trace)}) + ", '')", { eval: true });`;
  const report = await planned(
    programOf(`if (name === "north") spawn(process.execPath, ${command}); else ${thread}\n    ${applies}`, top),
  );
  expect(report).toMatchObject({ changes: [], unchanged: 0 });
  expect(report.unknown.toSorted((a, b) => a.object.localeCompare(b.object))).toEqual([
    { object: "Site default/north", reason: `tried to start ${process.execPath}, which was refused` },
    {
      object: "Site default/south",
      reason: expect.stringMatching(/^tried to start a thread with .*, which was refused$/),
    },
  ]);
  expect(existsSync(trace)).toBe(false);
  writeFileSync(join(folder, "starting.ts"), `${top}\nexport function setup() { spawn("kubectl"); }`);
  expect(await failureOf(planned(pathToFileURL(join(folder, "starting.ts"))))).toMatchObject({
    reason: "program",
    message: expect.stringMatching(/^the program ended with an error: .* start processes or threads: start kubectl/),
  });
});

it.each(["10.0.0.7", "10.0.0.7:99999", "http://a:80"])("refuses to allow %s", async (address) => {
  expect(await failureOf(plan(programOf(""), { connection: client.connection, signal, allow: [address] }))).toEqual({
    reason: "input",
    message: `--allow "${address}" is not a host and a port, such as 10.0.0.7:443 or api.example.com:443`,
  });
});

it("reports a loop with the fields that change", async () => {
  await site("north");
  await site("south");
  const program = programOf(`if (name === "north")
      await client.status.patch(Site, site, { turn: (site.status?.turn ?? 0) + 1 });`);
  expect(await failureOf(planned(program))).toEqual({
    reason: "loop",
    message:
      "does not settle: site/default/north reconciled 100 times; fields changed last: status.turn of Site default/north",
  });
});

it("does not wait for polls, and ends for objects that fail", async () => {
  for (const name of ["north", "south"]) await site(name);
  const report = await planned(
    programOf(`if (name === "south") throw new Error("no such image");
    ${applies}
    return { requeueAfterMs: 15_000 };`),
  );
  expect(report.changes).toMatchObject([{ action: "create", name: "north" }]);
  expect(report.unknown).toEqual([{ object: "Site default/south", reason: "fails: no such image" }]);
});

it("reports a program that ends, or cannot be loaded", async () => {
  const path = join(folder, "bad.ts");
  writeFileSync(path, `export async function main() { throw new Error("no config"); }`);
  expect(await failureOf(planned(pathToFileURL(path)))).toMatchObject({
    reason: "program",
    message: expect.stringContaining("the program ended with an error: no config"),
  });
  writeFileSync(join(folder, "worse.ts"), `import "./missing.ts";`);
  expect(await failureOf(planned(pathToFileURL(join(folder, "worse.ts"))))).toMatchObject({
    reason: "program",
    message: expect.stringMatching(/^the program cannot be loaded: .*missing.ts/),
  });
  await site("north");
  for (const [program, start] of [
    [programOf("process.exit(0);"), ""],
    [programOf("", "process.exit(0);"), "the program cannot be loaded: "],
  ] as const)
    expect(await failureOf(planned(program))).toEqual({
      reason: "program",
      message: `${start}the program ended its own process with code 0, as process.exit does`,
    });
});

it("deletes the dependents of deleted owners, but not those of owners that were not copied", async () => {
  const north = await site("north");
  const ownerReferences = [{ apiVersion: "shop.example.com/v1", kind: "Site", name: "north", uid: north.metadata.uid }];
  const stranger = [
    { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "7c5b2f0e-0000-4000-8000-000000000001" },
  ];
  const data = { image: "nginx:1.27" };
  await client.create(ConfigMap, { metadata: { namespace: "default", name: "mine", ownerReferences }, data });
  await client.create(ConfigMap, {
    metadata: { namespace: "default", name: "theirs", ownerReferences: stranger },
    data,
  });
  const report = await planned(programOf("await client.delete(Site, site);"));
  expect(lines(report)).toEqual([
    "delete ConfigMap mine (deletion of its owner)",
    "delete Site north (Site default/north)",
  ]);
});

it("says which resource may not be listed, also if only one namespace is permitted", async () => {
  await site("north");
  const restricted = await ApiServer.start({ listen: false, crds: [Site.crd], authorization: ["RBAC"] });
  const admin = new Client({ connection: new Connection(restricted.connection()), fieldOwner: "test" });
  try {
    const { token } = restricted.addUser({ name: "reader" });
    const { server, handle } = restricted.connection();
    const connection = new Connection({ server, token, ...(handle ? { handle } : {}) });
    const grant = async (kind: "Role" | "ClusterRole", rules: object[]): Promise<void> => {
      const about = { apiVersion: "rbac.authorization.k8s.io/v1" };
      const metadata = { name: "reader", ...(kind === "Role" ? { namespace: "default" } : {}) };
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind, name: "reader" };
      const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "reader" }];
      for (const object of [
        { ...about, kind, metadata, rules },
        { ...about, kind: `${kind}Binding`, metadata, roleRef, subjects },
      ])
        await admin.create(unstructured(object), object as never);
    };
    const read = ["get", "list", "watch"];
    await grant("ClusterRole", [
      { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: read },
    ]);
    await grant("Role", [{ apiGroups: ["shop.example.com"], resources: ["sites"], verbs: read }]);
    await admin.create(Site, { metadata: { namespace: "default", name: "north" }, spec: { image: "nginx:1.27" } });
    expect(await failureOf(plan(programOf(applies), { connection, signal }))).toEqual({
      reason: "cluster",
      message: expect.stringMatching(
        /^the program needs (sites.shop.example.com|configmaps), but you may not list them: .* cannot list resource /,
      ),
    });
    await admin.patch(
      unstructured({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role" }),
      { namespace: "default", name: "reader" },
      { rules: [{ apiGroups: ["", "shop.example.com"], resources: ["sites", "configmaps"], verbs: read }] } as never,
    );
    const inDefault = programOf(applies, `export const options = { cacheOptions: { namespaces: ["default"] } };`);
    const report = await plan(inDefault, { connection, signal });
    expect(report.changes).toMatchObject([{ action: "create", kind: "ConfigMap", name: "north" }]);
    expect(report.limits).toContain(
      "validatingadmissionpolicies.admissionregistration.k8s.io were not taken into account, because you may not list them",
    );
  } finally {
    await admin.close();
    await restricted.stop();
  }
});

it("copies all kinds at one version of a moving cluster, and says it if this is not possible", async () => {
  await site("north");
  const program = programOf(applies);
  let isExpired = false;
  const { server, handle } = live.connection();
  const moving = new Connection({
    server,
    handle: async (request, ...rest) => {
      if (/\/sites\?/.test(request.path) && request.path.includes("resourceVersionMatch=Exact")) {
        await site(`late-${Math.random().toString(36).slice(2)}`);
        if (isExpired) await live.compact();
      }
      if (!handle) throw new Error("the server listens");
      return handle(request, ...rest);
    },
  });
  const consistent = await plan(program, { connection: moving, signal });
  expect(consistent.changes.map(({ name }) => name)).toEqual(["north"]);
  expect(consistent.limits).toHaveLength(1);
  isExpired = true;
  const { changes, limits, revision } = await plan(program, { connection: moving, signal });
  expect(changes).toHaveLength(3);
  expect(limits[0]).toMatch(
    new RegExp(
      `^the cluster changed while it was being copied at resource version ${revision}: sites.shop.example.com at \\d+`,
    ),
  );
});

it("names the live webhooks that it did not call, and confirms final objects with dry runs", async () => {
  await site("north");
  const calls: unknown[] = [];
  live.connectInProcess("policy.example.com", async ({ body }) => {
    const review = JSON.parse(Buffer.from(body ?? "").toString()) as {
      readonly apiVersion: string;
      readonly kind: string;
      readonly request: { readonly uid: string; readonly dryRun: boolean };
    };
    calls.push(review.request.dryRun);
    const response = { uid: review.request.uid, allowed: false, status: { message: "images must be signed" } };
    const text = JSON.stringify({ apiVersion: review.apiVersion, kind: review.kind, response });
    return {
      status: 200,
      headers: { "content-type": "application/json" },
      body: (async function* () {
        yield Buffer.from(text);
      })(),
    };
  });
  const configuration = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "policy" },
    webhooks: [
      {
        name: "policy.example.com",
        clientConfig: { url: "https://policy.example.com/" },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  };
  await client.create(unstructured(configuration), configuration as never);
  const report = await planned(programOf(applies));
  expect(calls).toEqual([]);
  expect(report).toMatchObject({ changes: [{ action: "create", kind: "ConfigMap" }], unknown: [] });
  expect(report.limits[0]).toBe(
    "the live webhook policy.example.com was not called for ConfigMap default/north (--confirm sends the final objects to it)",
  );
  const before = await revision();
  const confirmed = await plan(programOf(applies), { connection: client.connection, signal, confirm: true });
  expect(confirmed.unknown).toEqual([
    { object: "ConfigMap default/north", reason: expect.stringMatching(/refuses it: .*images must be signed/) },
  ]);
  expect(confirmed.limits).toHaveLength(1);
  expect([calls, await revision()]).toEqual([[true], before]);
});

it("refuses a copy that is too large", async () => {
  await site("north");
  expect(await failureOf(planned(programOf(""), { maxBytes: 500 }))).toEqual({
    reason: "cluster",
    message: expect.stringMatching(/^the copy of the cluster exceeds 0 MiB with .*; plan fewer namespaces/),
  });
});

/** Registers an aggregated API whose server does not exist. */
async function aggregate(): Promise<void> {
  const service = { name: "metrics", namespace: "default" };
  const version = { group: "metrics.example.com", version: "v1", groupPriorityMinimum: 100, versionPriority: 100 };
  const apiVersion = "apiregistration.k8s.io/v1";
  const object = { apiVersion, kind: "APIService", metadata: { name: "v1.metrics.example.com" } };
  const kind = unstructured(object);
  await client.create(kind, { ...object, spec: { ...version, service } } as never);
  // The server writes the condition in the background.
  const checked = { status: { conditions: [{ reason: "ServiceNotFound" }] } };
  await vi.waitFor(async () => expect(await client.get(kind, object.metadata.name)).toMatchObject(checked), 10_000);
}

const missing = "the group metrics.example.com, which an aggregated API serves, is not part of the copy";
const down = `${missing}; the cluster reports it as not available: ServiceNotFound: service/metrics in "default" is not present`;
const load = { apiVersion: "metrics.example.com/v1", kind: "Load", metadata: { namespace: "default", name: "north" } };

it("names aggregated APIs, and the objects whose reconciles wait for them", async () => {
  await aggregate();
  for (const name of ["north", "south"]) await site(name);
  const top = `const Load = unstructured({ apiVersion: "metrics.example.com/v1", kind: "Load" });`;
  const waiting = await planned(programOf("await client.list(Load);", top));
  const { unknown, limits } = waiting;
  expect(unknown.map(({ reason }) => reason)).toEqual([
    "its reconcile does not finish within 5 minutes",
    "was not reconciled, because other reconciles do not finish",
  ]);
  expect(unknown.map(({ object }) => object).toSorted()).toEqual(["Site default/north", "Site default/south"]);
  expect(limits).toEqual([down, "other operators and the cluster's controllers did not run"]);
  const building = ".watches(Load, () => {})";
  expect(await planned(programOf(applies, top, building))).toMatchObject({
    changes: [],
    unknown: [{ object: "controller site", reason: expect.stringContaining("waiting for kind source: Load") }],
    limits: [down, expect.anything()],
  });
});

it.each([
  ["up", { conditions: [{ type: "Available", status: "True" }] }, missing],
  ["unchecked", undefined, `${missing}; the cluster reports it as not available: it has not been checked yet`],
])("says that a manifest belongs to an aggregated API that is %s", async (_, status, message) => {
  await aggregate();
  const { server, handle } = live.connection();
  const connection = new Connection({
    server,
    handle: async (request, ...rest) => {
      if (!handle) throw new Error("the server listens");
      const response = await handle(request, ...rest);
      if (!request.path.includes("/apiservices?")) return response;
      const list = JSON.parse((await bodyOf(response)).toString()) as { readonly items: readonly object[] };
      return jsonResponse(200, { ...list, items: list.items.map((item) => ({ ...item, status })) });
    },
  });
  const manifests = [{ object: load, source: "load.yaml" }];
  expect(await failureOf(plan(programOf(applies), { connection, signal, manifests }))).toEqual({
    reason: "input",
    message: `load.yaml: load.metrics.example.com/north in default: ${message}`,
  });
});

it("names groups that the cluster serves and the copy does not", async () => {
  const { server, handle } = live.connection();
  const connection = new Connection({
    server,
    handle: async (request, ...rest) => {
      if (!handle) throw new Error("the server listens");
      if (request.path === "/apis/new.k8s.io") return jsonResponse(200, { name: "new.k8s.io" });
      const response = await handle(request, ...rest);
      if (request.path !== "/apis") return response;
      const list = JSON.parse((await bodyOf(response)).toString()) as { readonly groups: readonly object[] };
      return jsonResponse(200, { ...list, groups: [...list.groups, { name: "new.k8s.io" }] });
    },
  });
  const { limits } = await plan(programOf(applies), { connection, signal });
  expect(limits[0]).toBe("the group new.k8s.io, which the cluster serves, is not part of the copy");
  expect(limits).toHaveLength(2);
});

it("rolls out workloads with the built-in controllers, which see only a simulated node", {
  timeout: 60_000,
}, async () => {
  await site("north");
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "live" } };
  const status = { capacity: { cpu: "64", memory: "64Gi", pods: "110" }, allocatable: { cpu: "64", pods: "110" } };
  await client.create(unstructured(node), { ...node, status } as never);
  const labels = `{ app: "web" }`;
  const program = programOf(
    `const { status } = await client.apply(Deployment, { metadata, spec: { ...spec, replicas: 1 } }, { force: true });
    data.ready = String(status?.readyReplicas ?? 0);
    ${applies}`,
    `import { Deployment } from "@kubewright/client/kinds";
const spec = { selector: { matchLabels: ${labels} }, template: { metadata: { labels: ${labels} }, spec: { containers: [{ name: "web", image: "nginx" }] } } };`,
    ".owns(Deployment)",
  );
  const ready = ({ changes }: PlanReport) => changes.find(({ kind }) => kind === "ConfigMap")?.fields[1]?.to;
  const alone = await planned(program);
  expect(ready(alone)).toMatchObject({ ready: "0" });
  const settled = await planned(program, { settle: true });
  expect(ready(settled)).toMatchObject({ ready: "1" });
  expect(settled.changes.map(({ kind }) => kind)).toEqual(["ConfigMap", "Deployment"]);
  expect(settled.limits).toEqual([
    "other operators did not run; new pods ran on a simulated node, without their images",
  ]);
});
