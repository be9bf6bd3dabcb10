import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { Attach, CoreV1Api, Exec, KubeConfig, PortForward, type V1Status } from "@kubernetes/client-node";
import { type ControlPlane, processImage, startControlPlane, stockNodeImage } from "@kubewright/controller-manager";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const namespace = "default";
const port = 18_090;
const script = `require("net").createServer((socket) => socket.on("data", (data) => socket.end("echo " + data))).listen(${port});
  process.stdin.on("data", (line) => console.log("got " + line));
  console.log("started");`;
const folder = mkdtempSync(join(tmpdir(), "pod-connections-"));
const kubeconfig = join(folder, "kubeconfig");
const config = new KubeConfig();
let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane({ images: { [stockNodeImage]: processImage() } });
  writeFileSync(kubeconfig, plane.kubeconfig);
  config.loadFromString(plane.kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  await api.createNamespacedPod({
    namespace,
    body: {
      metadata: { name: "web" },
      spec: {
        containers: [{ name: "main", image: stockNodeImage, stdin: true, command: ["node", "-e", script] }],
        terminationGracePeriodSeconds: 1,
      },
    },
  });
  const log = (): Promise<string> => api.readNamespacedPodLog({ namespace, name: "web" });
  await vi.waitFor(async () => expect(await log()).toContain("started"), { timeout: 30_000, interval: 100 });
}, 60_000);
afterAll(async () => {
  await plane?.stop();
  rmSync(folder, { recursive: true });
});

describe("@kubernetes/client-node", () => {
  it("runs a command", async () => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const result = Promise.withResolvers<V1Status>();
    const command = ["sh", "-c", "cat; echo problem >&2; exit 3"];
    await new Exec(config).exec(namespace, "web", "main", command, stdout, stderr, stdin, false, result.resolve);
    stdin.end("typed");
    const { status, reason, details } = await result.promise;
    expect([status, reason, details?.causes?.[0]?.message]).toEqual(["Failure", "NonZeroExitCode", "3"]);
    expect([String(stdout.read()), String(stderr.read())]).toEqual(["typed", "problem\n"]);
  });

  it("attaches to a process", async () => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const socket = await new Attach(config).attach(namespace, "web", "main", stdout, null, stdin, false);
    stdin.write("from client-node");
    let seen = "";
    stdout.on("data", (chunk: Buffer) => {
      seen += chunk;
    });
    await expect.poll(() => seen).toContain("got from client-node");
    socket.close();
  });

  it("forwards a port", async () => {
    const forward = new PortForward(config);
    const server = createServer((socket) => {
      void forward.portForward(namespace, "web", [port], socket, null, socket);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const socket = connect(typeof address === "object" ? (address?.port ?? 0) : 0, "127.0.0.1");
    socket.write("hello");
    const [answer] = await once(socket, "data");
    expect(String(answer)).toBe("echo hello");
    socket.destroy();
    server.close();
  });
});

/** The kubectl on the PATH, and the one in the folder of the real API server, if it exists. */
const programs = ["kubectl", ...(process.env.KUBEBUILDER_ASSETS ? [`${process.env.KUBEBUILDER_ASSETS}/kubectl`] : [])]
  .filter((program) => spawnSync(program, ["version", "--client"]).status === 0)
  .flatMap((program) => [
    { program, transport: "WebSockets", isWebSocket: "true" },
    { program, transport: "SPDY", isWebSocket: "false" },
  ]);

if (programs.length === 0) it.skip("kubectl connects to pods (there is no kubectl on the PATH)", () => {});

describe.each(programs)("$program over $transport", ({ program, isWebSocket }) => {
  const options = {
    cwd: folder,
    env: {
      ...{ PATH: process.env.PATH ?? "", HOME: folder, KUBECONFIG: kubeconfig },
      ...{ KUBECTL_REMOTE_COMMAND_WEBSOCKETS: isWebSocket, KUBECTL_PORT_FORWARD_WEBSOCKETS: isWebSocket },
    },
  };
  const run = (...args: string[]): Promise<{ stdout: string; stderr: string; code?: number }> =>
    promisify(execFile)(program, args, options).catch((error) => error);

  it("runs a command, and exits with its code", async () => {
    const { stdout, stderr, code } = await run("exec", "web", "--", "sh", "-c", "echo out; echo err >&2; exit 3");
    expect([stdout, code]).toEqual(["out\n", 3]);
    expect(stderr).toContain("err\n");
    expect(stderr).toContain("command terminated with exit code 3");
  });

  it("passes its input to a command", async () => {
    const child = spawn(program, ["exec", "-i", "web", "--", "wc", "-c"], options);
    child.stdin.end(Buffer.alloc(300_000));
    expect((await text(child.stdout)).trim()).toBe("300000");
  });

  it("reports a command that does not exist", async () => {
    const { stderr, code } = await run("exec", "web", "--", "does-not-exist");
    expect([stderr.includes('exec: "does-not-exist": executable file not found in $PATH'), code]).toEqual([true, 1]);
  });

  it("copies files to a pod and back", async () => {
    writeFileSync(join(folder, "original"), Buffer.alloc(200_000, "data "));
    await run("cp", "original", "web:copy");
    await run("cp", "web:copy", "returned");
    expect(readFileSync(join(folder, "returned")).equals(readFileSync(join(folder, "original")))).toBe(true);
  });

  it("attaches to a process", async () => {
    const child = spawn(program, ["attach", "-i", "web"], options);
    let seen = "";
    child.stdout.on("data", (chunk: Buffer) => {
      seen += chunk;
    });
    const typing = setInterval(() => child.stdin.write("from kubectl\n"), 200); // the client does not report when it is attached
    await expect.poll(() => seen, { timeout: 15_000 }).toContain("got from kubectl");
    clearInterval(typing);
    child.kill();
    await once(child, "close");
  });

  it("forwards a port for several connections, one after another", async () => {
    const child = spawn(program, ["port-forward", "pod/web", `:${port}`], options);
    const [line] = await once(child.stdout, "data");
    const local = Number(/127\.0\.0\.1:(\d+)/.exec(String(line))?.[1]);
    for (const word of ["one", "two"]) {
      const socket = connect(local, "127.0.0.1");
      socket.write(word);
      expect(await text(socket)).toBe(`echo ${word}`);
    }
    child.kill();
    await once(child, "close");
  });
});
