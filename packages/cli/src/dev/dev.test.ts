import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { unstructured } from "@kubewright/apimachinery";
import { Client, Connection } from "@kubewright/client";
import { CustomResourceDefinition, ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import { Recording } from "@kubewright/replay/player";
import { expect, it, onTestFinished, vi } from "vitest";
import { Child } from "../testing/child.ts";
import { ProjectFolder } from "../testing/project-folder.ts";

const command = fileURLToPath(new URL("../testing/kubewright.ts", import.meta.url));
const site = ["--group", "shop", "--version", "v1", "--kind", "Site"];
const Site = unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });
const timeout = 60_000;

function start(project: ProjectFolder, ...flags: string[]): Child {
  const words = ["--conditions=@kubewright/source", command, "dev", ...flags];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = new Child(process.execPath, words, { PATH, NODE_COMPILE_CACHE, HOME: project.root }, project.root);
  onTestFinished(() => child.kill("SIGKILL"));
  return child;
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // no such process
  }
};

/** A project with one kind, whose program prints its process ID and uses free ports. */
async function siteProject(): Promise<{
  project: ProjectFolder;
  edit: (path: string, from: string, to: string) => void;
}> {
  const project = new ProjectFolder();
  onTestFinished(() => project[Symbol.dispose]());
  await project.init();
  await project.run("create", "api", ...site);
  const edit = (path: string, from: string, to: string): void => {
    const text = project.files()[path] ?? "";
    expect(text).toContain(from);
    writeFileSync(join(project.root, path), text.replace(from, to));
  };
  edit("src/operator.ts", '":8443"', '"127.0.0.1:0"');
  edit("src/operator.ts", '":8081"', '"127.0.0.1:0"');
  edit("src/main.ts", "await run", 'console.log("program", process.pid);\nawait run');
  return { project, edit };
}

it(
  "records the program across restarts, for a replay",
  async () => {
    const { project, edit } = await siteProject();
    const dev = start(project, "--console", "off", "--record", "f.kwr", "--redact", "spec.message");
    await dev.prints(/started\n(.|\n)*program \d+/);
    await using connection = Connection.fromKubeConfig(project.files()[".kubewright/kubeconfig"] ?? "");
    await using client = new Client({ connection });
    const create = (name: string): Promise<unknown> =>
      client.create(Site, { metadata: { name, namespace: "default" }, spec: { message: "planted-message" } });
    const isReady = async (name: string): Promise<boolean> => {
      const { status } = await client.get(Site, `default/${name}`);
      return status !== undefined;
    };
    await create("first");
    await vi.waitUntil(() => isReady("first"), { timeout: 30_000, interval: 50 });
    edit("src/main.ts", "await run", "console.log(2);\nawait run");
    await dev.prints(/(started\n(.|\n)*){2}program \d+\n2\n/);
    await create("second");
    await vi.waitUntil(() => isReady("second"), { timeout: 30_000, interval: 50 });
    dev.kill("SIGTERM");
    await dev.ended;
    const bytes = readFileSync(join(project.root, "f.kwr"));
    const { reconciles } = Recording.read(bytes);
    expect(reconciles.map(({ request }) => request)).toEqual(
      expect.arrayContaining(["default/first", "default/second"]),
    );
    expect(gunzipSync(bytes).toString()).not.toContain("planted-message");
    expect(await project.run("replay", "f.kwr")).toMatchObject({ code: 0, err: "" });
  },
  2 * timeout,
);

it.each([
  [["--record", "src/main.ts"], '--record "src/main.ts": the name must end in .kwr'],
  [["--record", "none/f.kwr"], '--record "none/f.kwr": ENOENT'],
  [["--record", "f.kwr", "--redact", "spec."], '--redact "spec." is not a field path'],
  [["--redact", "spec.password"], "--redact requires --record"],
])("refuses %j", async (words, message) => {
  using project = new ProjectFolder();
  await project.init();
  expect(await project.run("dev", ...words)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
});

it("runs the program on an embedded control plane, and restarts it after each save", async () => {
  const { project, edit } = await siteProject();
  await project.run("create", "webhook", ...site, "--validation");
  const dev = start(project);
  const [, url] = await dev.prints(
    /control plane (https:\S+) \(\d+\.\d s\) {3}export KUBECONFIG=\.kubewright\/kubeconfig\n/,
  );
  await dev.prints(
    /CRD sites\.shop\.example\.com installed\n {2}1 webhook at https:\/\/127\.0\.0\.1:\d+\n {2}src\/main\.ts started\n/,
  );
  const [, first] = await dev.prints(/program (\d+)/);
  await using connection = Connection.fromKubeConfig(join(project.root, ".kubewright/kubeconfig"));
  await using client = new Client({ connection });
  expect(connection.settings.server).toBe(url);
  const seen = async () => (await client.get(Site, "default/example")).status;
  await client.create(Site, { metadata: { name: "example", namespace: "default" }, spec: { message: "hello" } });
  await expect.poll(seen, { timeout }).toMatchObject({ observedGeneration: 1 });
  await expect.poll(async () => (await client.list(ValidatingWebhookConfiguration)).length).toBe(1);

  // The new behavior applies as soon as the file is saved.
  edit("src/controllers/site.ts", "metadata.generation ?? 0", "metadata.generation! + 41");
  await expect.poll(seen, { timeout }).toMatchObject({ observedGeneration: 42 });
  const pids = (): number[] => [...dev.output.matchAll(/program (\d+)/g)].map(([, pid]) => Number(pid));
  expect(pids()).toHaveLength(2);
  expect(isAlive(Number(first))).toBe(false);

  // An invalid definition is reported, and the earlier program continues.
  edit("src/controllers/site.ts", "+ 41;", "+ 41);");
  await dev.prints(/the earlier program keeps running\n/);
  expect(isAlive(pids()[1] ?? 0)).toBe(true);
  edit("src/controllers/site.ts", "+ 41);", "+ 99;");
  await expect.poll(seen, { timeout }).toMatchObject({ observedGeneration: 100 });

  edit("src/api/site.ts", "Message of the object", "Text of the object");
  await dev.prints(/(CRD sites\S+ installed[\s\S]*){2}/);
  const [definition] = await client.list(CustomResourceDefinition);
  expect(JSON.stringify(definition)).toContain("Text of the object");

  // A failed program is restarted at the next save, not earlier.
  await expect.poll(() => pids().length, { timeout }).toBe(4);
  edit("src/main.ts", "await run", 'if (process.pid) throw new Error("no luck");\nawait run');
  await dev.prints(/no luck[\s\S]*src\/main\.ts exited with code 1; waiting for the next save\n/);
  edit("src/main.ts", 'if (process.pid) throw new Error("no luck");\n', "");
  await expect.poll(() => pids().length, { timeout }).toBe(6);

  dev.kill("SIGINT");
  expect([await dev.ended, dev.output.includes("killed")]).toEqual([0, false]);
  expect(pids().filter(isAlive)).toEqual([]);
  expect(existsSync(join(project.root, ".kubewright/kubeconfig"))).toBe(false);
}, 300_000);

it("gives the program a console on loopback, and keeps browsers signed in across restarts", async () => {
  const { project, edit } = await siteProject();
  const dev = start(project, "--webhooks", "off");
  const [, origin, token] = await dev.prints(/^ {2}console (http:\/\/127\.0\.0\.1:\d+)\/#t=([\w-]+)\n/m);
  const path = "/debug/kubewright/v1/";
  const answer = await fetch(`${origin}${path}session`, { method: "POST", body: token ?? expect.unreachable() });
  const { session = "" } = (await answer.json()) as { readonly session?: string };
  const overview = (at = "") => fetch(`${at}${path}overview`, { headers: { "kubewright-session": session } });
  expect(await (await overview(origin)).json()).toMatchObject({ name: "shop", controllers: [{ name: "site" }] });
  edit("src/controllers/site.ts", "reconciled", "reconciled at last");
  const [, again] = await dev.prints(new RegExp(`${token}[^]*^ {2}console (http:\\S+)/#t=`, "m"));
  expect((await overview(again)).status).toBe(200);
  expect((await fetch(`${again}${path}overview`)).status).toBe(401);
  dev.kill("SIGINT");
  expect(await dev.ended).toBe(0);
}, 300_000);

it("reports a port in use in one line, and chooses another one for the console", async () => {
  const { project, edit } = await siteProject();
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" ? address?.port : undefined;
  edit("src/operator.ts", '"127.0.0.1:0"', `"127.0.0.1:${port}"`);
  const dev = start(project, "--webhooks", "off", "--console", String(port));
  await dev.prints(/src\/main\.ts exited with code 1; waiting for the next save\n/);
  const lines = dev.output.split("\n").filter((line) => line.includes("EADDRINUSE"));
  expect(lines).toEqual([
    expect.stringMatching(
      /^metrics server failed to listen on .*; stop the process that uses the address, or set another address with --metrics-bind-address/,
    ),
  ]);
  expect(dev.output).not.toMatch(/^ {4}at /m);
  edit("src/operator.ts", `"127.0.0.1:${port}"`, '"127.0.0.1:0"');
  const [, shown] = await dev.prints(/console http:\/\/127\.0\.0\.1:(\d+)\//);
  expect(shown).not.toBe(String(port));
  dev.kill("SIGINT");
  expect(await dev.ended).toBe(0);
}, 300_000);

it("passes flags after -- to the program", async () => {
  const { project } = await siteProject();
  const dev = start(project, "--console", "off", "--", "--log-level", "loud");
  await dev.prints(/--log-level "?loud[\s\S]*src\/main\.ts exited with code 2; waiting for the next save\n/);
  dev.kill("SIGINT");
  expect(await dev.ended).toBe(0);
}, 300_000);

it("leaves no program behind when killed, and kills one that does not end", async () => {
  const { project, edit } = await siteProject();
  const dev = start(project, "--webhooks", "off");
  const [, first] = await dev.prints(/program (\d+)/);
  dev.kill("SIGKILL");
  await dev.ended;
  await expect.poll(() => isAlive(Number(first)), { timeout }).toBe(false);

  const log = 'console.log("program"';
  edit("src/main.ts", log, `process.on("SIGTERM", () => {});\nsetInterval(() => {}, 1_000);\n${log}`);
  const again = start(project, "--console", "off");
  const [, second] = await again.prints(/program (\d+)/);
  again.kill("SIGTERM");
  expect(await again.ended).toBe(0);
  expect(again.output).toContain("src/main.ts did not exit within 10 s; killing it\n");
  expect(again.output).not.toContain("console http");
  expect(isAlive(Number(second))).toBe(false);
}, 300_000);

it("runs in a project as npm run dev, and ends with npm", async () => {
  const { project, edit } = await siteProject();
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const words = ["run", "dev", "--", "--inspect", "127.0.0.1:0"];
  const dev = new Child("npm", words, { PATH, NODE_COMPILE_CACHE, HOME: project.root }, project.root);
  onTestFinished(() => dev.kill("SIGKILL"));
  await dev.prints(/Debugger listening on ws:\/\/127\.0\.0\.1:/);
  const [, first] = await dev.prints(/program (\d+)/);
  edit("src/controllers/site.ts", "reconciled", "reconciled at last");
  const [, second] = await dev.prints(new RegExp(`program (?!${first}\\b)(\\d+)`));
  dev.kill("SIGTERM");
  await dev.ended;
  await expect.poll(() => [first, second].map(Number).filter(isAlive), { timeout }).toEqual([]);
}, 300_000);
