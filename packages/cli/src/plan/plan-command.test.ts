import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ApiServer } from "@kubewright/kube-apiserver";
import type { PlanReport } from "@kubewright/simulation/plan";
import { afterEach, beforeEach, expect, it } from "vitest";
import { main } from "../main.ts";
import { recordedIo } from "../testing/recorded-io.ts";
import { planLines } from "./plan-command.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(import.meta.dirname, "../../.planned-"));
  writeFileSync(join(folder, "operator.ts"), "export function setup() {}\n");
  const cluster = { server: "http://127.0.0.1:1" };
  writeFileSync(
    join(folder, "kubeconfig"),
    JSON.stringify({
      clusters: [{ name: "dead", cluster }],
      contexts: [{ name: "dead", context: { cluster: "dead" } }],
      "current-context": "dead",
    }),
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

async function plan(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const io = { ...recordedIo({ PATH: process.env.PATH }), cwd: folder };
  const code = await main(["plan", ...words], io);
  return { code, ...io.written };
}

it.each([
  [[], "not in a kubewright project"],
  [["--entry", "missing.ts"], '--entry "missing.ts" does not exist; pass the module'],
  [["--entry", "operator.ts", "--max-copy", "1G"], '--max-copy "1G" is not a number of MiB'],
  [["--entry", "operator.ts", "-f", "missing.yaml"], "missing.yaml: "],
  [["--entry", "operator.ts", "--", "true"], "--entry and a program after -- cannot be used together"],
  [["--allow", "a:1", "--", "true"], "--allow requires a program in this project"],
  [["-o", "yaml"], "Allowed choices are json"],
  [
    ["--entry", "operator.ts", "--kubeconfig", "kubeconfig", "--allow", "10.0.0.7"],
    '--allow "10.0.0.7" is not a host and a port, such as 10.0.0.7:443',
  ],
])("refuses %j", { timeout: 60_000 }, async (words, message) => {
  const { code, err } = await plan(...words);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
});

it("reports a cluster that cannot be reached", async () => {
  const { code, err } = await plan("--entry", "operator.ts", "--kubeconfig", "kubeconfig");
  expect({ code, err }).toEqual({ code: 3, err: expect.stringMatching(/127\.0\.0\.1:1/) });
});

const operator = (reconcile: string): string => `import { asReconciler } from "@kubewright/controller";
import { controllerManagedBy } from "@kubewright/builder";
import { ConfigMap } from "@kubewright/client/kinds";
export function setup(manager) {
  const reconcile = asReconciler(ConfigMap, async (map, { client }) => {
    if (map.metadata.namespace === "default") { ${reconcile} }
  });
  controllerManagedBy(manager).for(ConfigMap).complete(reconcile);
}
`;
const patched = (turn: string): string => operator(`await client.patch(ConfigMap, map, { data: { turn: ${turn} } });`);

/** Adds a user to a cluster, and writes the kubeconfig `name` for this user. Returns the user's token. */
function addUser(server: ApiServer, name: string, groups: readonly string[] = []): string {
  const { token } = server.addUser({ name, groups });
  const cluster = { server: server.url };
  const contexts = [{ name: "live", context: { cluster: "live", user: name } }];
  const users = [{ name, user: { token } }];
  const config = { clusters: [{ name: "live", cluster }], contexts, users, "current-context": "live" };
  writeFileSync(join(folder, name), JSON.stringify(config));
  return token;
}

async function create(server: ApiServer, token: string, path: string, object: object): Promise<void> {
  const { status } = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(object),
  });
  expect(status).toBe(201);
}

const maps = "/api/v1/namespaces/default/configmaps";
const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name: "north" } };

it("ends with 3 if the user may not list a kind, or the copy is too large", { timeout: 120_000 }, async () => {
  await using server = await ApiServer.start({ tls: false, authorization: ["RBAC"] });
  const token = addUser(server, "admin", ["system:masters"]);
  addUser(server, "reader");
  const apiGroup = "rbac.authorization.k8s.io";
  const about = { apiVersion: `${apiGroup}/v1`, metadata: { name: "reader" } };
  const rules = [
    { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get", "list", "watch"] },
  ];
  await create(server, token, `/apis/${apiGroup}/v1/clusterroles`, { ...about, kind: "ClusterRole", rules });
  await create(server, token, `/apis/${apiGroup}/v1/clusterrolebindings`, {
    ...about,
    kind: "ClusterRoleBinding",
    roleRef: { apiGroup, kind: "ClusterRole", name: "reader" },
    subjects: [{ apiGroup, kind: "User", name: "reader" }],
  });
  writeFileSync(join(folder, "operator.ts"), patched('"1"'));
  const refused = {
    code: 3,
    out: "",
    err: expect.stringMatching(
      /^the program needs configmaps, but you may not list them: .*User "reader" cannot list resource "configmaps"[^\n]*\n$/,
    ),
  };
  expect(await plan("--entry", "operator.ts", "--kubeconfig", "reader")).toEqual(refused);
  expect(await plan("--kubeconfig", "reader", "--", process.execPath, "-e", listing)).toEqual(refused);
  for (const name of ["a", "b"])
    await create(server, token, maps, {
      ...map,
      metadata: { namespace: "default", name },
      data: { text: "x".repeat(600_000) },
    });
  expect(await plan("--entry", "operator.ts", "--kubeconfig", "admin", "--max-copy", "1")).toEqual({
    code: 3,
    out: "",
    err: 'the copy of the cluster exceeds 1 MiB with configmaps; plan fewer namespaces (the cache\'s option "namespaces"), or raise --max-copy\n',
  });
});

/** A program that lists ConfigMaps with the kubeconfig that it is given, until it is stopped. */
const listing = `const { clusters, users } = JSON.parse(require("node:fs").readFileSync(process.env.KUBECONFIG, "utf8"));
const { server, "certificate-authority-data": data } = clusters[0].cluster;
const options = { ca: Buffer.from(data, "base64"), headers: { authorization: "Bearer " + users[0].user.token } };
setInterval(() => {
  const url = server + "/api/v1/configmaps";
  require("node:https").get(url, options, (response) => response.resume()).on("error", () => {});
}, 200);`;

it("ends with a different code for each result", { timeout: 120_000 }, async () => {
  await using server = await ApiServer.start({ tls: false });
  const token = addUser(server, "live", ["system:masters"]);
  await create(server, token, maps, { ...map, data: { turn: "1" } });
  const outcomes = [];
  for (const text of [
    patched('"1"'),
    patched('"2"'),
    patched("String(Number(map.data.turn) + 1)"),
    'export function setup() { throw new Error("no device"); }',
  ]) {
    writeFileSync(join(folder, "operator.ts"), text);
    const { code, out, err } = await plan("--entry", "operator.ts", "--kubeconfig", "live");
    outcomes.push([code, (out + err).split("\n")[0]]);
  }
  expect(outcomes).toEqual([
    [
      0,
      expect.stringMatching(
        /^Plan: 0 to create, 0 to change, 0 to delete, \d+ unchanged; settled after \d+ reconciles$/,
      ),
    ],
    [1, "~ ConfigMap default/north  data.turn: 1 → 2  (ConfigMap default/north)"],
    [
      4,
      expect.stringMatching(
        /^does not settle: \S+default\/north reconciled 100 times; fields changed last: data.turn of ConfigMap/,
      ),
    ],
    [5, "the program ended with an error: no device"],
  ]);
});

it("prints each change with its cause", () => {
  const about = { apiVersion: "v1", namespace: "shop" };
  const fields = [
    { path: "spec.template.spec.containers[web].image", from: "nginx:1.27", to: "nginx:1.29" },
    { path: "spec.replicas", to: 2 },
    { path: "data.password" },
  ];
  const report: PlanReport = {
    changes: [
      { ...about, action: "change", kind: "Deployment", name: "north", cause: "Site shop/north", fields },
      { ...about, action: "create", kind: "Service", name: "south", cause: "Site shop/south", fields: [] },
    ],
    unknown: [
      { object: "Site shop/east", reason: "connection to 10.0.0.7:443 was refused (pass --allow 10.0.0.7:443)" },
    ],
    unchanged: 211,
    reconciles: 226,
    revision: "7",
    limits: ["other operators did not run"],
  };
  expect(planLines(report)).toEqual([
    "~ Deployment shop/north  spec.template.spec.containers[web].image: nginx:1.27 → nginx:1.29  (Site shop/north)",
    "                         spec.replicas: (absent) → 2",
    "                         data.password: value hidden",
    "+ Service    shop/south                                                                     (Site shop/south)",
    "! Site       shop/east   connection to 10.0.0.7:443 was refused (pass --allow 10.0.0.7:443)",
    "Plan: 1 to create, 1 to change, 0 to delete, 211 unchanged, 1 unknown; settled after 226 reconciles",
    "Note: other operators did not run",
  ]);
});
