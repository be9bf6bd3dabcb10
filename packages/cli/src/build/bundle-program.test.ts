import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "@kubewright/client";
import { ServiceAccount } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";
import { bundleProgram } from "./bundle-program.ts";
import { gzipped } from "./gzip.ts";
import { loadEsbuild } from "./load-esbuild.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "kubewright-build-"));
  mkdirSync(join(root, "src"));
});
afterEach(() => rmSync(root, { recursive: true }));
const write = (text: string): void => writeFileSync(join(root, "src/main.ts"), text);

it("bundles a scaffold reproducibly into one file that runs alone", async () => {
  using project = new ProjectFolder();
  await project.init();
  const { code, out, err } = await project.run("build");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^ {2}dist\/operator\.mjs {2}[\d.]+ MB, \d+ KB gzipped\n$/);
  const file = join(project.root, "dist/operator.mjs");
  const bytes = readFileSync(file);
  const alone = join(root, "alone.mjs");
  writeFileSync(alone, bytes);
  const { status, stdout } = spawnSync(process.execPath, [alone, "--help"], { cwd: root, env: {}, encoding: "utf8" });
  expect([status, stdout]).toEqual([0, expect.stringContaining("--leader-elect")]);
  expect(JSON.parse((await project.run("build", "--json")).out)).toMatchObject({
    items: [{ path: "dist/operator.mjs", bytes: bytes.length }],
    parts: expect.arrayContaining([{ name: "undici", bytes: expect.any(Number) }]),
  });
  expect(readFileSync(file).equals(bytes)).toBe(true);
}, 120_000);

it("includes the console's page only in programs that add a console", async () => {
  symlinkSync(fileURLToPath(new URL("../../../../node_modules", import.meta.url)), join(root, "node_modules"));
  const program = (body: string): string => `import { Manager } from "kubewright";
import { addConsole } from "kubewright/console";
const manager = new Manager({ connection: { server: "http://127.0.0.1:1" }, metrics: { bindAddress: "0" } });
${body}
`;
  write(program("console.log(manager.describe().name);"));
  const without = await bundleProgram({ root });
  write(
    program(`const view = addConsole(manager, { bindAddress: "127.0.0.1:0" });
void manager.run(AbortSignal.timeout(60_000));
await view.ready();
for (const path of ["/", "/app.js", "/app.css"]) {
  const answer = await fetch("http://127.0.0.1:" + view.port + path);
  console.log(answer.status, answer.headers.get("content-type"), (await answer.text()).length > 100);
}
process.exit();`),
  );
  const bundled = await bundleProgram({ root });
  const hasConsole = ({ parts }: typeof bundled) => parts.some(({ name }) => name === "packages/console");
  expect([without, bundled].map(hasConsole)).toEqual([false, true]);
  const file = join(root, "operator.mjs");
  writeFileSync(file, bundled.code);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { cwd: tmpdir(), env: {}, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toContain(
    "200 text/html; charset=utf-8 true\n200 text/javascript; charset=utf-8 true\n200 text/css; charset=utf-8 true\n",
  );
  const sizes = [without, bundled].map(({ code }) => gzipped(code).length);
  console.log(`a console adds ${(sizes[1] ?? 0) - (sizes[0] ?? 0)} bytes, gzipped, to a bundle`);
}, 60_000);

it("leaves out client-node unless the program imports kubewright/exec", async () => {
  await using env = await Environment.start();
  const admin = new Client({ connection: env.connection() });
  await admin.create(ServiceAccount, { metadata: { namespace: "default", name: "shop" } });
  await admin.close();
  const token = await env.serviceAccountToken({ namespace: "default", name: "shop" }, { expiresInSeconds: 600 });
  const user = (fields: object): string => {
    const { server, caData } = env.connection();
    const cluster = { server, "certificate-authority-data": Buffer.from(caData ?? "").toString("base64") };
    return JSON.stringify({
      "current-context": "pod",
      contexts: [{ name: "pod", context: { cluster: "here", user: "shop" } }],
      clusters: [{ name: "here", cluster }],
      users: [{ name: "shop", user: fields }],
    });
  };
  const tokenFile = join(root, "token");
  writeFileSync(tokenFile, token);
  const credential = { kind: "ExecCredential", apiVersion: "client.authentication.k8s.io/v1", status: { token } };
  const command = { command: process.execPath, args: ["-p", JSON.stringify(JSON.stringify(credential))] };
  const kubeconfigs = {
    tokenFile: user({ tokenFile }),
    exec: user({ exec: { apiVersion: credential.apiVersion, interactiveMode: "Never", ...command } }),
  };
  const project = join(root, "project");
  mkdirSync(join(project, "src"), { recursive: true });
  symlinkSync(fileURLToPath(new URL("../../../../node_modules", import.meta.url)), join(project, "node_modules"));
  const program = `import { Client } from "kubewright";
import { SelfSubjectReview } from "kubewright/kinds";
const client = new Client();
const answer = await client.create(SelfSubjectReview, { metadata: {} }).catch((error) => error);
console.log(answer instanceof Error ? answer.message : answer.status.userInfo.username);
await client.close();
`;
  const bundled = async (text: string, inCluster = false) => {
    writeFileSync(join(project, "src/main.ts"), text);
    const { code, parts } = await bundleProgram({ root: project, inCluster });
    const file = join(root, "operator.mjs"); // no node_modules above it
    writeFileSync(file, code);
    const runs: [string, string][] = [];
    for (const [name, kubeconfig] of Object.entries(kubeconfigs)) {
      const path = join(root, "kubeconfig");
      writeFileSync(path, kubeconfig);
      // Asynchronously, because the API server runs in this process.
      const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: root, env: { KUBECONFIG: path } });
      runs.push([name, stdout.trim()]);
    }
    return {
      bytes: code.length,
      hasClientNode:
        parts.some(({ name }) => name.startsWith("@kubernetes/")) || Buffer.from(code).includes("V1PodSpec"),
      ...Object.fromEntries(runs),
    };
  };
  const small = await bundled(program);
  const whole = await bundled(`import "kubewright/exec";\n${program}`);
  const shop = "system:serviceaccount:default:shop";
  expect(small).toMatchObject({ hasClientNode: false, tokenFile: shop });
  expect(small).toHaveProperty("exec", expect.stringContaining('add import "kubewright/exec" to the program'));
  expect(whole).toMatchObject({ hasClientNode: true, tokenFile: shop, exec: shop });
  const omitted = await bundled(`import "kubewright/exec";\n${program}`, true);
  expect(omitted).toMatchObject({ hasClientNode: false, tokenFile: shop });
  expect(omitted).toHaveProperty("exec", expect.stringContaining("@kubernetes/client-node is not in this bundle"));
  console.log(`client-node adds ${whole.bytes - small.bytes} bytes to a bundle of ${small.bytes}`);
}, 120_000);

it("leaves out client-node on request, and throws a clear error when it is imported", async () => {
  symlinkSync(fileURLToPath(new URL("../../../../node_modules", import.meta.url)), join(root, "node_modules"));
  write(
    'const node = await import("@kubernetes/client-node").then(({ KubeConfig }) => KubeConfig.name, (e) => e.message);\nconsole.log(node);\n',
  );
  const whole = await bundleProgram({ root });
  const small = await bundleProgram({ root, inCluster: true });
  expect(small.code.length).toBeLessThan(10_000);
  expect(whole.code.length).toBeGreaterThan(1_000_000);
  expect(whole.parts.map(({ name }) => name)).toContain("@kubernetes/client-node");
  expect(whole.parts.map(({ bytes }) => bytes)).toEqual(
    whole.parts.map(({ bytes }) => bytes).toSorted((a, b) => b - a),
  );
  writeFileSync(join(root, "small.mjs"), small.code);
  expect(execFileSync(process.execPath, [join(root, "small.mjs")], { encoding: "utf8" })).toBe(
    "@kubernetes/client-node is not in this bundle, which was built with --in-cluster; build it without this option\n",
  );
}, 60_000);

it("reports errors with their location", async () => {
  await expect(bundleProgram({ root })).rejects.toThrow('--entry "src/main.ts" does not exist');
  write('import { a } from "./nowhere.ts";\na(;\n');
  await expect(bundleProgram({ root })).rejects.toThrow(/^src\/main\.ts:2:3: /);
  write('import "./nowhere.ts";\n');
  await expect(bundleProgram({ root })).rejects.toThrow('src/main.ts:1:8: Could not resolve "./nowhere.ts"');
  const missing = loadEsbuild(root, () => Promise.reject(new Error("no such module")));
  await expect(missing).rejects.toMatchObject({
    name: "UsageError",
    message: expect.stringContaining("npm install --save-dev esbuild"),
  });
});

const frames = (text: string): readonly string[] => text.split("\n").filter((line) => /^\s+at /.test(line));

it("shows source lines in stack traces, with a smaller map than esbuild's", async () => {
  symlinkSync(fileURLToPath(new URL("../../../../node_modules", import.meta.url)), join(root, "node_modules"));
  mkdirSync(join(root, "src/parts"));
  const part =
    'import { Manager } from "kubewright";\n\nexport function fails(name: string): never {\n  const text: string = "no " + name;\n  if (Manager) throw new Error(text);\n  process.exit();\n}\n';
  writeFileSync(join(root, "src/parts/fails.ts"), part);
  write('// A comment, which the bundle leaves out.\n\nimport { fails } from "./parts/fails.ts";\n\nfails("é");\n');
  const mapped = await bundleProgram({ root });
  const plain = await bundleProgram({ root, sourceMap: false });
  expect(Buffer.from(plain.code).includes("sourceMappingURL=data")).toBe(false);
  expect(mapped.code.length - plain.code.length).toBeLessThan(1_000);
  mkdirSync(join(root, "dist"));
  const file = join(root, "dist/operator.mjs");
  writeFileSync(file, mapped.code);
  const run = (...flags: string[]) => spawnSync(process.execPath, [...flags, file], { env: {}, encoding: "utf8" });
  expect(frames(run("--enable-source-maps").stderr).slice(0, 2)).toEqual([
    expect.stringMatching(/^ +at fails \(.*\/src\/parts\/fails\.ts:5:22\)$/),
    expect.stringMatching(/^ +at .*\/src\/main\.ts:5:1\)?$/),
  ]);
  expect(frames(run().stderr)[0]).toContain("dist/operator.mjs:");
}, 60_000);

it("maps no library code to lines of the program", async () => {
  mkdirSync(join(root, "node_modules/far"), { recursive: true });
  writeFileSync(join(root, "node_modules/far/package.json"), '{ "name": "far", "main": "index.js", "type": "module" }');
  writeFileSync(join(root, "node_modules/far/index.js"), "export function far(call) {\n  return call();\n}\n");
  write(
    'import { far } from "far";\n\nfar((): never => {\n  throw new RangeError("near");\n});\nexport const later = [1, 2, 3];\n',
  );
  mkdirSync(join(root, "dist"));
  const file = join(root, "dist/operator.mjs");
  writeFileSync(file, (await bundleProgram({ root })).code);
  const { stderr } = spawnSync(process.execPath, ["--enable-source-maps", file], { env: {}, encoding: "utf8" });
  expect(frames(stderr).slice(0, 3)).toEqual([
    expect.stringMatching(/src\/main\.ts:4:9\)?$/),
    expect.stringMatching(/at far \(.*dist\/operator\.mjs:\d+:\d+\)$/),
    expect.stringMatching(/src\/main\.ts:3:1\)?$/),
  ]);
});
