import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "./command.ts";
import { Program } from "./program.ts";

/** A JavaScript runtime, and the command that runs a module with it. */
export interface Runtime {
  readonly name: string;
  readonly version: string;
  readonly command: readonly [string, ...string[]];
}

/** A check of a runtime. The function throws the output of the program if the check fails. */
export interface RuntimeCheck {
  readonly name: string;
  readonly check: (runtime: Runtime) => void;
}

/** Versions of the runtimes besides Node, which are installed from npm. */
const others = { bun: "1.4.5", deno: "2.9.6" };

/** Program that serves the embedded API server until its standard input ends. It runs on Node. */
const server = `
import { writeFileSync } from "node:fs";
import { Environment } from "@kubewright/envtest";

const env = await Environment.start();
writeFileSync("kubeconfig", env.kubeconfig());
console.log("serves");
process.once("SIGINT", () => env.stop().then(() => process.exit()));
`;

/** Programs that run on each runtime. Each prints `done` at its end. */
const programs = {
  "import kubewright": `
import * as kubewright from "kubewright";
import { Pod } from "kubewright/kinds";

if (typeof kubewright.Manager !== "function" || Pod.kind !== "Pod") throw new Error("exports are missing");
`,
  "work queue": `
import { exponentialFailure, RateLimitingQueue } from "@kubewright/workqueue";

const queue = new RateLimitingQueue({ rateLimiter: exponentialFailure({ baseMs: 5, maxMs: 100 }) });
const stop = new AbortController();
queue.add("a", "first");
let turns = 0;
for await (const key of queue.items(stop.signal)) {
  if (++turns < 3) queue.addRateLimited(key, "retry");
  else stop.abort();
  queue.done(key);
}
queue.shutDown();
if (turns !== 3) throw new Error("turns: " + turns);
`,
  "client: get, list, watch": `
import { Client, Connection } from "kubewright";
import { ConfigMap } from "kubewright/kinds";

await using client = new Client({ connection: Connection.fromKubeConfig("kubeconfig") });
const name = "client-" + process.pid;
const [key, stop, seen] = ["default/" + name, new AbortController(), []];
const first = Promise.withResolvers();
const watching = (async () => {
  const options = { namespace: "default", sendInitialEvents: true, signal: stop.signal };
  for await (const { type, object } of client.watch(ConfigMap, options)) {
    if (object?.metadata?.name !== name) continue;
    seen.push(type);
    if (type === "ADDED") first.resolve();
    if (type === "DELETED") break;
  }
})();
await client.create(ConfigMap, { metadata: { name, namespace: "default" }, data: { a: "1" } });
await first.promise;
await client.patch(ConfigMap, key, { data: { a: "2" } });
const read = await client.get(ConfigMap, key);
const listed = await client.list(ConfigMap, { namespace: "default" });
if (read.data.a !== "2" || !listed.some(({ metadata }) => metadata.name === name)) throw new Error("wrong objects");
await client.delete(ConfigMap, key);
await watching;
if (seen.join() !== "ADDED,MODIFIED,DELETED") throw new Error("events: " + seen);
`,
  "manager, controller, metrics": `
import { createServer } from "node:net";
import { asReconciler, Client, Connection, controllerManagedBy, Manager } from "kubewright";
import { ConfigMap } from "kubewright/kinds";

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
const connection = Connection.fromKubeConfig("kubeconfig");
const [metrics, health, stop] = [await freePort(), await freePort(), new AbortController()];
const metadata = { name: "manager-" + process.pid, namespace: "default" };
const manager = new Manager({
  connection,
  fieldOwner: "runtimes",
  metrics: { bindAddress: "127.0.0.1:" + metrics },
  health: { bindAddress: "127.0.0.1:" + health },
  leaderElection: { id: metadata.name, namespace: "default", releaseOnCancel: true },
});
const served = [];
const reconcile = asReconciler(ConfigMap, async (map, { client }) => {
  if (map.metadata.name !== metadata.name) return;
  if (map.data?.seen !== "yes") return void (await client.apply(ConfigMap, { metadata, data: { seen: "yes" } }, { force: true }));
  for (const address of [metrics + "/metrics", health + "/healthz"])
    served.push(await (await fetch("http://127.0.0.1:" + address)).text());
  stop.abort();
});
controllerManagedBy(manager).for(ConfigMap).complete(reconcile);
await using client = new Client({ connection });
await client.create(ConfigMap, { metadata });
await manager.run(stop.signal);
if (!/controller_runtime_reconcile_total\\{[^}]*result="success"[^}]*\\} [1-9]/.test(served[0])) throw new Error(served[0]);
if (served[1] !== "ok") throw new Error("healthz: " + served[1]);
`,
  "webhook server": `
import { request } from "node:https";
import { defineKind, typedSchema } from "@kubewright/apimachinery";
import { CertificateAuthority } from "@kubewright/certificates";
import { admission, invalid, WebhookServer } from "@kubewright/webhook";

const names = { group: "shop.example.com", version: "v1", kind: "Site" };
const schema = { type: "object", properties: { image: { type: "string" } } };
const Site = defineKind({ ...names, scope: "Namespaced", spec: typedSchema(schema) });
const authority = new CertificateAuthority("shop-ca");
const { certificate: cert, key } = authority.issueServer("shop", ["127.0.0.1"]);
const ca = authority.certificate;
const server = new WebhookServer({ port: 0, host: "127.0.0.1", certificates: { cert, key, ca } });
const create = ({ spec }) => {
  if (spec.image === "bad") throw invalid("spec.image", spec.image, "is bad");
};
server.add(admission(Site).validate({ create }));
const stop = new AbortController();
const running = server.run(stop.signal);
await server.ready();

const isAllowed = (image) =>
  new Promise((resolve, reject) => {
    const metadata = { name: "a", namespace: "default" };
    const object = { apiVersion: "shop.example.com/v1", kind: "Site", metadata, spec: { image } };
    const resource = { group: names.group, version: "v1", resource: "sites" };
    const call = { uid: "1", kind: names, resource, ...metadata, operation: "CREATE", userInfo: { username: "jane" }, object, dryRun: false };
    const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: call };
    const options = { host: "127.0.0.1", port: server.port, path: "/validate-shop-example-com-v1-site", method: "POST", ca };
    request({ ...options, headers: { "content-type": "application/json" } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => (text += part));
      response.on("end", () => resolve(JSON.parse(text).response.allowed));
    })
      .on("error", reject)
      .end(JSON.stringify(review));
  });
const allowed = [await isAllowed("good"), await isAllowed("bad")];
stop.abort();
await running;
if (allowed.join() !== "true,false") throw new Error("allowed: " + allowed);
`,
  "envtest: API server in the process": `
import { Environment } from "@kubewright/envtest";
import { Client } from "kubewright";
import { ConfigMap } from "kubewright/kinds";

await using env = await Environment.start();
await using client = new Client({ connection: env.connection() });
await client.create(ConfigMap, { metadata: { name: "a", namespace: "default" } });
const listed = await client.list(ConfigMap, { namespace: "default" });
if (!listed.some(({ metadata }) => metadata.name === "a")) throw new Error("not listed");
`,
};

/** Creates a project from the packed packages in `folder`. */
export function runtimeProject(folder: string, version: string, typebox: string, env: NodeJS.ProcessEnv): string {
  mkdirSync(folder);
  const names = ["kubewright", "@kubewright/cli", "@kubewright/envtest", "@kubewright/simulation"];
  const dependencies = { ...Object.fromEntries(names.map((name) => [name, version])), typebox };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  run("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder, env });
  writeFileSync(join(folder, "server.js"), server);
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(folder, fileOf(name)), `${text}\nconsole.log("done");\n`);
  return folder;
}

const fileOf = (name: string): string => `${name.replace(/\W+/g, "-")}.js`;

/** Returns this Node, and Bun and Deno from npm; a string is the reason why a runtime cannot be installed. */
export function runtimes(folder: string): readonly (Runtime | { readonly name: string; readonly reason: string })[] {
  const node: Runtime = { name: "Node.js", version: process.versions.node, command: [process.execPath] };
  return [node, ...(["bun", "deno"] as const).map((name) => otherRuntime(name, join(folder, name)))];
}

function otherRuntime(
  name: "bun" | "deno",
  prefix: string,
): Runtime | { readonly name: string; readonly reason: string } {
  const title = name === "bun" ? "Bun" : "Deno";
  mkdirSync(prefix, { recursive: true });
  try {
    run("npm", ["install", "--no-audit", "--no-fund", "--prefix", prefix, `${name}@${others[name]}`], { cwd: prefix });
    const bin = join(prefix, "node_modules", ".bin", name);
    const [version = ""] = /\d+\.\d+\.\d+/.exec(run(bin, ["--version"], { cwd: prefix })) ?? [];
    return { name: title, version, command: name === "bun" ? [bin] : [bin, "run", "--allow-all"] };
  } catch (error) {
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n", 1);
    return { name: title, reason };
  }
}

/** Runs a module to its end, and requires that it succeeds and prints `expected`. @throws {Error} with its output */
function prints(runtime: Runtime, words: readonly string[], cwd: string, expected: RegExp): void {
  const [command, ...first] = runtime.command;
  const result = spawnSync(command, [...first, ...words], { cwd, encoding: "utf8", timeout: 120_000 });
  if (result.status === 0 && expected.test(result.stdout)) return;
  const end = result.error?.message ?? `exited with ${result.status}`;
  throw new Error(`${runtime.name} ${words.join(" ")} ${end}\n${result.stdout}\n${result.stderr}`);
}

/** Returns the checks for a runtime in the project. They need the server of `startServer`. */
export function runtimeChecks(project: string): readonly RuntimeCheck[] {
  const cli = join(project, "node_modules", "@kubewright", "cli", "bin", "kubewright.mjs");
  const shop = join(project, "shop");
  const site = ["--group", "shop", "--version", "v1", "--kind", "Site", "--quiet"];
  const ofPrograms = Object.keys(programs).map((name) => ({
    name,
    check: (runtime: Runtime) => prints(runtime, [fileOf(name)], project, /^done$/m),
  }));
  const command = (runtime: Runtime): void => {
    rmSync(shop, { recursive: true, force: true });
    const flags = ["--domain", "example.com", "--no-install", "--no-git", "--quiet"];
    prints(runtime, [cli, "init", "shop", ...flags], project, /^/);
    prints(runtime, [cli, "create", "api", ...site], shop, /^/);
    prints(runtime, [cli, "generate"], shop, /^/);
    prints(runtime, [cli, "check"], shop, /^/);
    const role = readFileSync(join(shop, "config", "rbac", "role.yaml"), "utf8");
    if (!role.includes("sites")) throw new Error(`the generated role does not contain sites:\n${role}`);
    prints(runtime, ["src/main.ts", "--help"], shop, /--leader-elect/);
  };
  return [...ofPrograms, { name: "command: init, create, generate, check", check: command }];
}

/** Starts the embedded API server on Node, for the clients of all runtimes. */
export async function startServer(project: string): Promise<AsyncDisposable> {
  const node = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const program = new Program(process.execPath, ["server.js"], project, node);
  await program.prints(/serves/);
  return program;
}
