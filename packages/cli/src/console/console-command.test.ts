import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, type ConnectionSettings } from "@kubewright/client";
import { applyManifests, parseManifests } from "@kubewright/client/apply";
import { ClusterRole, ClusterRoleBinding, Deployment, Pod, ServiceAccount } from "@kubewright/client/kinds";
import { kustomizeFiles } from "@kubewright/codegen";
import { addConsole } from "@kubewright/console";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { main } from "../main.ts";
import { Child } from "../testing/child.ts";
import { recordedIo } from "../testing/recorded-io.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const namespace = "shop-system";
const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;

vi.setConfig({ testTimeout: 120_000 }); // commands and kubectl run as child processes
let env: Environment;
let client: Client;
let folder: string;
let port: number;
const stop = new AbortController();
let running: Promise<void>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-console-"));
  mkdirSync(join(folder, "bin"));
  const standIn = `#!${process.execPath}\nimport(${JSON.stringify(at("../testing/kubectl-stand-in.mjs"))});\n`;
  writeFileSync(join(folder, "bin/kubectl"), standIn);
  chmodSync(join(folder, "bin/kubectl"), 0o755);
  env = await Environment.start();
  client = new Client({ connection: env.connection() });
  writeFileSync(join(folder, "kubeconfig"), env.kubeconfig(), { mode: 0o600 });
  port = await freePort();
  // Applies the generated manifests and runs the program with its own service account.
  const files = kustomizeFiles(shop({ server: env.url }).manager.describe());
  const texts = files.filter(({ path }) => /^(?:rbac|manager)\/(?!kustomization)/.test(path));
  const manifests = texts.flatMap(({ path, text }) => parseManifests(text, path).manifests);
  for await (const { outcome, reason } of applyManifests(client, manifests, { force: true }))
    expect([outcome, reason]).toEqual(["applied", undefined]);
  const account = { namespace, name: "shop-controller-manager" };
  const token = await env.serviceAccountToken(account, { expiresInSeconds: 3_600 });
  const { server, caData } = env.connection();
  const { manager, view } = shop({ server, token, ...(caData === undefined ? {} : { caData }) });
  running = manager.run(stop.signal);
  await view.ready();
});
afterAll(async () => {
  stop.abort();
  await running;
  await client?.close();
  await env?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function shop(connection: ConnectionSettings) {
  const manager = new Manager({ name: "shop", connection, metrics: { bindAddress: "0" }, logger: silentLogger });
  return { manager, view: addConsole(manager, { bindAddress: `127.0.0.1:${port}` }) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

const standInPath = (): string => join(folder, "bin");

async function run(words: readonly string[], variables: Record<string, string> = {}, kubeconfig = "kubeconfig") {
  const io = { ...recordedIo({ PATH: standInPath(), HOME: folder, ...variables }), cwd: folder };
  const code = await main(["console", ...words, "--kubeconfig", kubeconfig], io);
  return { code, ...io.written };
}

const deployed = ["deploy/shop-controller-manager", "-n", namespace];
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // no such process
  }
};

it("admits the generated viewer account, and ends with its child processes", async () => {
  const log = join(folder, "calls");
  const words = ["--conditions=@kubewright/source", at("../testing/kubewright.ts"), "console", ...deployed];
  const variables = { PATH: standInPath(), HOME: folder, STAND_IN_LOG: log };
  const child = new Child(process.execPath, [...words, "--kubeconfig", "kubeconfig"], variables, folder);
  const [, origin, token] = await child.prints(/^console (http:\/\/127\.0\.0\.1:\d+)\/#b=([\w.-]+)\n/);
  await child.prints(
    /as system:serviceaccount:shop-system:shop-console-viewer until 20\S+; press Ctrl-C to close it\n/,
  );
  const call = JSON.parse(readFileSync(log, "utf8"));
  expect(call).toEqual({
    pid: expect.any(Number),
    command: "port-forward",
    target: "deployment/shop-controller-manager",
    ports: `:${port}`,
    namespace,
    address: "127.0.0.1",
    kubeconfig: join(folder, "kubeconfig"),
  });
  const get = (path: string, bearer?: string) =>
    fetch(`${origin}/debug/kubewright/v1/${path}`, bearer ? { headers: { authorization: `Bearer ${bearer}` } } : {});
  expect(await (await get("overview", token)).json()).toMatchObject({ name: "shop" });
  expect((await get("overview")).status).toBe(401);
  child.kill("SIGINT");
  expect(await child.ended).toBe(0);
  expect(isAlive(call.pid)).toBe(false);
});

it("permits actions only to accounts with the generated role for them", async () => {
  await client.create(ServiceAccount, { metadata: { name: "anna", namespace } });
  await client.create(ClusterRoleBinding, {
    metadata: { name: "anna" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "shop-console-editor" },
    subjects: [{ kind: "ServiceAccount", name: "anna", namespace }],
  });
  const act = async (name: string) => {
    const token = await env.serviceAccountToken({ namespace, name }, { expiresInSeconds: 600 });
    const headers = { authorization: `Bearer ${token}` };
    const url = `http://127.0.0.1:${port}/debug/kubewright/v1/actions/none?do=reconcile&key=default/web`;
    return (await fetch(url, { method: "POST", headers })).status;
  };
  expect(await act("shop-console-viewer")).toBe(403);
  expect(await act("anna")).toBe(404); // permitted, but the program has no such controller
});

it("ends with the tunnel, and reports why it failed", async () => {
  expect(await run(deployed, { STAND_IN_MODE: "lost" })).toMatchObject({
    code: 1,
    err: "kubectl port-forward exited with code 1\n",
  });
  expect(await run(deployed, { STAND_IN_MODE: "forbidden" })).toEqual({
    code: 3,
    out: "",
    err: expect.stringMatching(
      /^kubectl port-forward exited with code 1: pods "shop-1" is forbidden.*\n {2}this requires permission to create pods\/portforward in the namespace shop-system\n$/,
    ),
  });
  expect(await run(deployed, { PATH: folder })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^kubectl, which forwards the port, is not in PATH; /),
  });
});

it("reports a missing target, console, account or permission", async () => {
  const outputOf = async (...words: string[]) => {
    const { code, err } = await run(words);
    return [code, err];
  };
  expect(await outputOf("deploy/nobody", "-n", namespace)).toEqual([
    1,
    "deployment/nobody does not exist in the namespace shop-system; pass another namespace with -n\n",
  ]);
  expect(await outputOf("svc/shop")).toEqual([
    2,
    'TARGET "svc/shop" is not a deployment or a pod; pass, for example, deploy/shop\n',
  ]);
  expect(await outputOf()).toEqual([
    2,
    "TARGET is required outside a project; pass a deployment, such as deploy/shop -n shop\n",
  ]);
  expect(await outputOf(...deployed, "--port", "x")).toEqual([2, '--port "x" is not a number from 0 to 65535\n']);
  await deployment("bare", []);
  expect(await outputOf("deploy/bare")).toEqual([
    1,
    expect.stringMatching(/^deployment\/bare has no container with a port named console: .*addConsole\(manager/),
  ]);
  await deployment("unlabelled", [{ name: "console", containerPort: port }]);
  expect(await outputOf("deploy/unlabelled")).toEqual([
    2,
    expect.stringContaining("pass a service account with --account"),
  ]);
  expect(await outputOf("deploy/unlabelled", "--account", "nobody")).toEqual([
    1,
    expect.stringMatching(/^serviceaccount\/nobody does not exist in the namespace default; /),
  ]);
  await client.create(ServiceAccount, { metadata: { name: "stranger", namespace: "default" } });
  expect(await outputOf("deploy/unlabelled", "--account", "stranger")).toEqual([
    3,
    expect.stringMatching(
      /the console responded to system:serviceaccount:default:stranger with 403; .*console_reader_role/,
    ),
  ]);
  await deployment("silent", [{ name: "console", containerPort: 1 }]);
  expect(await outputOf("deploy/silent", "--account", "stranger")).toEqual([
    1,
    expect.stringMatching(
      /^deployment\/silent, port 1: the console does not respond \(.*check that the program calls addConsole/,
    ),
  ]);
});

it("requires permission for pods/portforward", async ({ skip }) => {
  if (!hasKubectl) skip("needs kubectl on the PATH");
  const { PATH = "" } = process.env;
  await client.create(Pod, {
    metadata: { name: "running", namespace: "default", labels: { "app.kubernetes.io/name": "x" } },
    spec: {
      nodeName: "somewhere",
      containers: [{ name: "x", image: "x:1", ports: [{ name: "console", containerPort: port }] }],
    },
  });
  await client.status.patch(Pod, "default/running", { phase: "Running" });
  const rules = [
    { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
    { apiGroups: [""], resources: ["serviceaccounts/token"], verbs: ["create"] },
  ];
  await client.create(ClusterRole, { metadata: { name: "looks" }, rules });
  await client.create(ClusterRoleBinding, {
    metadata: { name: "looks" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "looks" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
  });
  await env.addUser({ name: "jane" });
  writeFileSync(join(folder, "jane"), env.kubeconfig("jane"), { mode: 0o600 });
  await client.create(ServiceAccount, { metadata: { name: "looker", namespace: "default" } });
  const words = ["pod/running", "-n", "default", "--account", "looker"];
  expect(await run(words, { PATH }, "jane")).toMatchObject({
    code: 3,
    err: expect.stringMatching(
      /^kubectl port-forward exited with code 1: .*forbidden.*\n {2}this requires permission to create pods\/portforward/s,
    ),
  });
  // With the permission, kubectl gets further and fails only because the embedded control plane has no kubelet.
  const { code, err } = await run(words, { PATH });
  expect(code).toBe(1);
  expect(err).toMatch(/^kubectl port-forward exited with code 1: /);
  expect(err).not.toMatch(/forbidden|unknown (flag|shorthand)/);
  console.log(`with all rights kubectl says: ${err}`);
});

async function deployment(
  name: string,
  ports: readonly { readonly name: string; readonly containerPort: number }[],
): Promise<void> {
  const labels = { app: name };
  await client.create(Deployment, {
    metadata: { name, namespace: "default" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name, image: "x:1", ports: [...ports] }] } },
    },
  });
}
