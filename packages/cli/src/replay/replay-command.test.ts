import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { Client } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { simulate } from "@kubewright/simulation";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";

const command = fileURLToPath(new URL("../testing/kubewright.ts", import.meta.url));
const operator = `import { asReconciler, controllerManagedBy, type Manager } from "kubewright";
import { ConfigMap } from "kubewright/kinds";

export function setup(manager: Manager): void {
  const reconcile = asReconciler(ConfigMap, async (map, { client, clock }) => {
    const { name, namespace } = map.metadata;
    if (!map.data?.size) return;
    const size = map.data.size;
    await client.apply(ConfigMap, { metadata: { name: \`\${name}-copy\`, namespace }, data: { copied: size, at: String(clock.now()) } });
  });
  controllerManagedBy(manager).named("copies").for(ConfigMap).complete(reconcile);
}
`;

let project: ProjectFolder;
const write = (path: string, contents: string | Uint8Array): void => writeFileSync(join(project.root, path), contents);

beforeAll(async () => {
  project = new ProjectFolder();
  await project.init();
  mkdirSync(join(project.root, "src"), { recursive: true });
  write("src/operator.ts", operator);
  write("f.kwr", await recorded());
}, 120_000);
afterAll(() => project[Symbol.dispose]());

/** Runs the program, and returns a recording of it. */
async function recorded(): Promise<Buffer> {
  await using env = await Environment.start({ inProcess: true });
  await using client = new Client({ connection: env.connection() });
  const manager = new Manager({
    ...{ connection: env.connection(), fieldOwner: "test", metrics: { bindAddress: "0" }, logger: silentLogger },
    recorder: {},
  });
  const { setup } = await import(pathToFileURL(join(project.root, "src/operator.ts")).href);
  setup(manager);
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  try {
    for (const [name, size] of [
      ["north", "3"],
      ["south", "5"],
    ] as const)
      await client.create(ConfigMap, { metadata: { name, namespace: "default" }, data: { size } });
    await vi.waitFor(
      async () => {
        const names = (await client.list(ConfigMap, { namespace: "default" })).map(({ metadata }) => metadata.name);
        expect(names).toEqual(expect.arrayContaining(["north-copy", "south-copy"]));
      },
      { timeout: 20_000 },
    );
    return manager.recording.dump() ?? Buffer.alloc(0);
  } finally {
    stop.abort();
    await running;
  }
}

it("replays a recording, or one object of it", async () => {
  const { code, out, err } = await project.run("replay", "f.kwr");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^[2-9] reconciles behave as recorded \(copies [2-9]\)\n$/);
  const only = await project.run("replay", "f.kwr", "--only", "copies/default/south");
  expect(only).toEqual({ code: 0, out: "1 reconcile behaves as recorded (copies 1)\n", err: "" });
}, 60_000);

it("prints the first difference of changed code, and ends with 1", async () => {
  write("src/operator.ts", operator.replace("copied: size", "copied: String(Number(size) % 5)"));
  const { code, out, err } = await project.run("replay", "f.kwr");
  write("src/operator.ts", operator);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  const [first, field, time] = err.split("\n");
  expect(first).toMatch(
    /^copies\/default\/south#\d+ makes this write differently than recorded: apply v1\/ConfigMap default\/south-copy$/,
  );
  expect(field).toBe('  data.copied: recorded "5", now "0"');
  expect(time).toMatch(/^ {2}recorded at 20\S+Z, because of ConfigMap default\/south \(create\)$/);
}, 60_000);

/** A recording whose request is a long text. */
const long = `{"kubewright":"recording","format":1,"name":"","atMs":0}
{"reconcile":1,"controller":"c","request":"${"a".repeat(100_000)}","causes":[],"atMs":0,"tookMs":0,"steps":[]}
`;

describe("wrong usage ends with 2:", () => {
  it.each<[words: readonly string[], message: string]>([
    [["none.kwr"], "none.kwr does not exist"],
    [["package.json"], "package.json: the file is not a recording: it is not gzipped"],
    [["new.kwr"], "new.kwr: line 1: the recording has format 9, but this version reads format 1"],
    [["f.kwr", "--entry", "src/none.ts"], '--entry "src/none.ts" does not exist'],
    [["f.kwr", "--inspect", "here"], '--inspect "here" is not a port, or a host and a port'],
    [
      ["f.kwr", "--only", "copies/default/west"],
      '--only "copies/default/west": this reconcile does not exist; f.kwr contains copies/default/',
    ],
    [["empty.kwr"], "empty.kwr contains no reconciles"],
    [["pipe.kwr"], "pipe.kwr is not a file"],
    [["huge.kwr"], "huge.kwr is larger than 268435456 bytes"],
    [["long.kwr", "--only", "x"], `long.kwr contains c/${"a".repeat(1_900)}`],
  ])(
    "%j",
    async (words, message) => {
      if (words.includes("pipe.kwr")) execFileSync("mkfifo", [join(project.root, "pipe.kwr")]);
      write("huge.kwr", "");
      truncateSync(join(project.root, "huge.kwr"), 257 << 20);
      write("long.kwr", gzipSync(long));
      write("new.kwr", gzipSync('{"kubewright":"recording","format":9}\n'));
      write("empty.kwr", gzipSync('{"kubewright":"recording","format":1,"name":"","atMs":0}\n'));
      const { code, err } = await project.run("replay", ...words);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
      expect(err.length).toBeLessThan(2_100);
    },
    60_000,
  );
});

it("reports a program that fails, or has no such controller", async () => {
  write("src/broken.ts", 'export function setup(): void {\n  throw new Error("no device");\n}\n');
  write("src/other.ts", "export function setup(): void {}\n");
  write("src/none.ts", "export const a = 1;\n");
  const outcome = async (entry: string) => project.run("replay", "f.kwr", "--entry", entry);
  const [broken, other, none] = [
    await outcome("src/broken.ts"),
    await outcome("src/other.ts"),
    await outcome("src/none.ts"),
  ];
  expect(broken.err).toMatch(/^src\/broken.ts cannot be replayed: no device \(at setup .*src\/broken.ts:2:9\)\)?\n$/);
  expect(other.err).toMatch(/^copies\/\S+ there is no controller "copies" in src\/other.ts\n/);
  expect(none.err).toContain("src/none.ts exports neither setup(manager) nor main(options, signal)");
  expect([broken.code, other.code, none.code]).toEqual([1, 1, 1]);
}, 60_000);

/** Replays with a debugger that continues once it has stopped. Returns the place at which it stopped, and the output. */
async function inspected(...given: readonly string[]): Promise<{ readonly place: object; readonly out: string }> {
  const words = ["replay", ...given, "--inspect", "0"];
  const child = spawn(process.execPath, ["--conditions=@kubewright/source", command, ...words], { cwd: project.root });
  const stopped = Promise.withResolvers<{ readonly script: string | undefined; readonly line: number }>();
  const scripts = new Map<string, string>();
  const ended = new Promise((resolve) => child.once("close", resolve));
  let [printed, isAttached] = ["", false];
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    const [, url] = /listening on (ws:\S+)/.exec(printed) ?? [];
    if (!url || isAttached) return;
    isAttached = true;
    const socket = new WebSocket(url);
    const send = (id: number, method: string): void => socket.send(JSON.stringify({ id, method }));
    socket.onopen = () => {
      for (const [id, method] of ["Debugger.enable", "Runtime.enable", "Runtime.runIfWaitingForDebugger"].entries())
        send(id + 1, method);
    };
    socket.onmessage = ({ data }) => {
      const { method, params } = JSON.parse(String(data));
      if (method === "Debugger.scriptParsed") scripts.set(params.scriptId, params.url);
      if (method !== "Debugger.paused") return;
      const { scriptId, lineNumber: line } = params.callFrames[0].location;
      stopped.resolve({ script: scripts.get(scriptId), line });
      send(9, "Debugger.disable");
      socket.close();
    };
  });
  const place = await stopped.promise;
  expect(await ended).toBe(0);
  return { place, out };
}

/** The first line of the author's function. */
const author = () => ({
  script: pathToFileURL(join(project.root, "src/operator.ts")).href,
  line: operator.split("\n").findIndex((line) => line.includes("const { name, namespace }")),
});

it("stops in the author's code with --inspect", async () => {
  const { place, out } = await inspected("f.kwr", "--only", "copies/default/north");
  expect(place).toEqual(author());
  expect(out).toBe("1 reconcile behaves as recorded (copies 1)\n");
}, 60_000);

it("replays the story of a simulation, and stops in the author's code", async () => {
  const options = { kinds: [ConfigMap], users: { ConfigMap: { data: { size: "3" } } }, schedules: 1, seed: 1 };
  const simulated = simulate(pathToFileURL(join(project.root, "src/operator.ts")), { ...options, print: () => {} });
  const message = await simulated.then(
    () => "",
    (error: unknown) => String(error),
  );
  const [, file = ""] = /npx kubewright replay (\S+) --inspect$/m.exec(message) ?? [];
  const { place, out } = await inspected(resolve(file));
  expect(place).toEqual(author());
  expect(out).toMatch(/^\d+ reconciles? behaves? as recorded \(copies \d+\)\n/);
}, 300_000);
