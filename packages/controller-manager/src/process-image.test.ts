import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { Client, Connection } from "@kubewright/client";
import { Event, Pod, Secret, ServiceAccount } from "@kubewright/client/kinds";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { processImage, stockNodeImage } from "./node/process/process-image.ts";

const root = { meta: { needs: "root" } };
const linux = { meta: { needs: "Linux" } };

let plane: ControlPlane;
let client: Client;
let connection: Connection;

beforeAll(async () => {
  process.env.SECRET_OF_THE_PLANE = "must not be seen";
  plane = await startControlPlane({ images: { [stockNodeImage]: processImage() } });
  client = new Client({ connection: plane.connection() });
  connection = new Connection(plane.connection());
});
afterAll(async () => {
  delete process.env.SECRET_OF_THE_PLANE;
  await client.close();
  await connection.close();
  await plane.stop();
});

async function create(name: string, script: string, container: object = {}, spec: object = {}): Promise<void> {
  const main = { name: "main", image: stockNodeImage, command: ["node", "-e", script], ...container };
  await client.create(Pod, { metadata: { name, namespace: "default" }, spec: { containers: [main], ...spec } });
}

async function log(name: string, query = ""): Promise<string> {
  const path = `/api/v1/namespaces/default/pods/${name}/log?${query}`;
  const { chunks } = await connection.stream({ path });
  let text = "";
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}

const statusOf = async (name: string) => (await client.get(Pod, `default/${name}`)).status;
const mainOf = async (name: string) => (await statusOf(name))?.containerStatuses?.[0];
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const endless = "setInterval(() => {}, 1_000);";

describe("an image that runs as a process", () => {
  it("runs the pod's command with its variables and volumes, and none of the plane's", async () => {
    await client.create(Secret, {
      metadata: { name: "s", namespace: "default" },
      data: { "a.txt": Buffer.from("from a file").toString("base64") },
    });
    await create(
      "whole",
      `const { env, argv } = process;
       console.log(require("fs").readFileSync(argv[1], "utf8"), argv.slice(2), env.POD_IP.startsWith("127."), env.FILE === argv[1]);
       require("fs").writeFileSync("/scratch/x", "");
       console.error(Object.keys(env).sort().join(" "), env.HOSTNAME, require("path").dirname(env.TMPDIR));
       process.exit(3);`,
      {
        args: ["/etc/s/a.txt", "for $(WHO)"],
        env: [
          { name: "WHO", value: "everyone" },
          { name: "FILE", value: "/etc/s/a.txt" },
          { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
        ],
        volumeMounts: [
          { name: "s", mountPath: "/etc/s" },
          { name: "scratch", mountPath: "/scratch" },
        ],
      },
      {
        restartPolicy: "Never",
        volumes: [
          { name: "s", secret: { secretName: "s" } },
          { name: "scratch", emptyDir: {} },
        ],
      },
    );
    await expect.poll(async () => (await statusOf("whole"))?.phase).toBe("Failed");
    expect(await mainOf("whole")).toMatchObject({ state: { terminated: { exitCode: 3, reason: "Error" } } });
    const text = await log("whole");
    expect(text).toContain("from a file [ 'for everyone' ] true true\n");
    expect(text).toContain(
      "FILE HOME HOSTNAME KUBECONFIG KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_SERVICE_PORT_HTTPS PATH POD_IP TMPDIR WHO whole ",
    );
    const folder = text.trim().split(" ").at(-1) ?? "";
    expect(existsSync(join(folder, "volumes/scratch/x"))).toBe(true);
    await client.delete(Pod, "default/whole");
    await expect.poll(() => existsSync(folder)).toBe(false);
  });

  it("sends the requests of lifecycle hooks after the start and before the end", async () => {
    const requests: string[] = [];
    const server = createServer(({ url = "" }, response) => {
      requests.push(url);
      response.writeHead(url === "/bad" ? 500 : 200).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const httpGet = (path: string) => ({ httpGet: { host: "127.0.0.1", port, path } });
    const end = `process.on("SIGTERM", () => console.log("ended") ?? process.exit());${endless}`;
    await create("hooks", end, { lifecycle: { postStart: httpGet("/start"), preStop: httpGet("/end") } });
    await expect.poll(async () => (await statusOf("hooks"))?.phase).toBe("Running");
    expect(requests).toEqual(["/start"]);
    const events = () => client.list(Event, { namespace: "default" });
    await create("bad-hook", endless, { lifecycle: { postStart: httpGet("/bad") } });
    await expect.poll(async () => (await mainOf("bad-hook"))?.restartCount).toBeGreaterThan(0);
    await expect
      .poll(async () => (await events()).find(({ reason }) => reason === "FailedPostStartHook")?.message)
      .toBe("PostStartHook failed: HTTP probe failed with statuscode: 500");
    await client.delete(Pod, "default/hooks");
    await expect.poll(() => requests).toContain("/end");
    await client.delete(Pod, "default/bad-hook");
    server.close();
  });

  it("connects to the API server as its service account, with a kubeconfig", async () => {
    await client.create(ServiceAccount, { metadata: { name: "robot", namespace: "default" } });
    await create(
      "robot",
      `const config = JSON.parse(require("fs").readFileSync(process.env.KUBECONFIG, "utf8"));
       const [{ cluster }] = config.clusters, [{ user }] = config.users;
       const read = (file) => require("fs").readFileSync(file, "utf8");
       const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
       if (cluster.server !== "https://" + host + ":" + port) throw new Error(cluster.server);
       const headers = { authorization: "Bearer " + read(user.tokenFile) };
       const url = cluster.server + "/api/v1/namespaces/" + config.contexts[0].context.namespace + "/secrets";
       require("https").get(url, { ca: read(cluster["certificate-authority"]), headers }, (response) =>
         response.pipe(process.stdout));`,
      {},
      { restartPolicy: "Never", serviceAccountName: "robot" },
    );
    await expect.poll(async () => (await statusOf("robot"))?.phase).toBe("Succeeded");
    expect(await log("robot")).toContain('User \\"system:serviceaccount:default:robot\\" cannot list resource');
  });

  it("has no credentials if the pod has none", async () => {
    const script = 'console.log("KUBECONFIG" in process.env)';
    await create("poor", script, {}, { restartPolicy: "Never", automountServiceAccountToken: false });
    await expect.poll(async () => (await statusOf("poor"))?.phase).toBe("Succeeded");
    expect(await log("poor")).toBe("false\n");
  });

  it("is restarted when it crashes, after growing delays", async () => {
    await create("crashes", "console.log(process.pid); process.exit(7)");
    await expect
      .poll(() => mainOf("crashes"))
      .toMatchObject({
        restartCount: 1,
        state: { waiting: { reason: "CrashLoopBackOff" } },
        lastState: { terminated: { exitCode: 7 } },
      });
    expect(await log("crashes", "previous=true")).toMatch(/^\d+\n$/);
    await client.delete(Pod, "default/crashes");
  });

  it("is asked to end, and killed after the grace period", async () => {
    const polite = 'process.on("SIGTERM", () => { console.log("bye"); process.exit(0) });';
    await create("polite", `${polite} console.log("up"); ${endless}`);
    await create(
      "stubborn",
      `process.on("SIGTERM", () => {}); console.log(process.pid); ${endless}`,
      {},
      {
        terminationGracePeriodSeconds: 1,
      },
    );
    await expect.poll(() => log("polite").catch(() => "")).toBe("up\n");
    await expect.poll(() => log("stubborn").catch(() => "")).toMatch(/^\d+\n$/);
    const pid = Number(await log("stubborn"));
    const [ended, last] = [log("stubborn", "follow=true"), log("polite", "follow=true")];
    await client.delete(Pod, "default/polite");
    expect(await last).toBe("up\nbye\n");
    expect(isAlive(pid)).toBe(true);
    await client.delete(Pod, "default/stubborn");
    await ended;
    expect(isAlive(pid)).toBe(false);
  });

  it("leaves no descendants behind", async () => {
    const script = `const child = require("child_process").spawn("sleep", ["1000"], { stdio: "inherit" });
                    console.log(child.pid); setTimeout(() => process.exit(0), 200)`;
    await create("leaves", script, {}, { restartPolicy: "Never" });
    await expect.poll(async () => (await statusOf("leaves"))?.phase).toBe("Succeeded");
    const pid = Number(await log("leaves"));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it("is ready when it answers its probe at the pod's address, and restarted when it stops answering", async () => {
    const script = `let isWell = true;
      require("http").createServer((request, response) => {
        if (request.url === "/break") isWell = false;
        response.writeHead(isWell ? 200 : 500).end();
      }).listen(Number(process.env.PORT), process.env.POD_IP);`;
    const first = 18_000 + Math.floor(Math.random() * 1_000);
    const httpGet = { path: "/healthz", port: "health" };
    const listening = (port: number) => ({
      ports: [{ name: "health", containerPort: port }],
      env: [
        { name: "PORT", value: String(port) },
        { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      ],
      readinessProbe: { httpGet, periodSeconds: 1 },
      startupProbe: { httpGet, periodSeconds: 1, failureThreshold: 60 }, // Node starts slowly on a busy machine
      livenessProbe: { httpGet, periodSeconds: 1, failureThreshold: 2 },
    });
    await create("probed-a", script, listening(first));
    await create("probed-b", script, listening(first + 1_000)); // some machines have only one address for all pods
    const elsewhere = { tcpSocket: { port: first + 3_000 }, periodSeconds: 1 };
    await create("unready", script, { ...listening(first + 2_000), readinessProbe: elsewhere });
    for (const name of ["probed-a", "probed-b"])
      await expect.poll(() => mainOf(name), { timeout: 20_000 }).toMatchObject({ ready: true, restartCount: 0 });
    const { podIP } = (await statusOf("probed-a")) ?? {};
    await fetch(`http://${podIP}:${first}/break`);
    await expect.poll(() => mainOf("probed-a"), { timeout: 20_000 }).toMatchObject({ ready: true, restartCount: 1 });
    expect(await mainOf("probed-b")).toMatchObject({ ready: true, restartCount: 0 });
    expect(await mainOf("unready")).toMatchObject({ ready: false });
    const notes = (await client.list(Event, { namespace: "default" })).map(({ message }) => message);
    expect(notes).toContain("Liveness probe failed: HTTP probe failed with statuscode: 500");
    expect(notes).toContainEqual(
      expect.stringMatching(/^Readiness probe failed: dial tcp 127\..*: connection refused$/),
    );
  });

  it("runs the commands of its probes, with its variables and working directory", async () => {
    const exec = (...command: readonly string[]) => ({ exec: { command }, periodSeconds: 1 });
    const script = `require("fs").writeFileSync("well", ""); ${endless}`;
    const startupProbe = { ...exec("test", "-f", "well"), failureThreshold: 60 };
    const env = [{ name: "WHO", value: "me" }];
    await create("commanded", script, { env, startupProbe, readinessProbe: exec("sh", "-c", 'test "$WHO" = me') });
    await create("refuses", script, { env, startupProbe, readinessProbe: exec("sh", "-c", "echo not $WHO; exit 3") });
    await create("slow", script, { startupProbe, readinessProbe: exec("sleep", "100") });
    await expect.poll(() => mainOf("commanded"), { timeout: 20_000 }).toMatchObject({ ready: true });
    const notes = async () =>
      (await client.list(Event, { namespace: "default" })).map(({ message }) => message?.trim());
    await expect.poll(notes, { timeout: 20_000 }).toContain("Readiness probe failed: not me");
    await expect
      .poll(notes, { timeout: 20_000 })
      .toContain('Readiness probe failed: command timed out: "sleep 100" timed out after 1s');
    for (const name of ["refuses", "slow"]) expect(await mainOf(name)).toMatchObject({ ready: false, restartCount: 0 });
  });

  it("has its own ports, whatever address a program listens on", async () => {
    const first = 22_000 + Math.floor(Math.random() * 1_000);
    const script = (port: number): string => `const { createServer } = require("net");
      const at = (...args) => new Promise((resolve, reject) => {
        const server = createServer().on("error", reject);
        server.listen(...args, () => resolve(server.address().address));
      });
      Promise.all([
        at(${port}), at("${port + 1}", "0.0.0.0"), at({ port: ${port + 2} }), at({ port: ${port + 3}, host: "::" }), at(${port + 4}, 10),
        at(0, "127.0.0.1"),
      ]).then((all) => console.log(all.join(" ")));`;
    const outputOf = async (name: string): Promise<string | undefined> => {
      await expect.poll(() => log(name).catch(() => ""), { timeout: 20_000 }).toContain("\n");
      const { podIP } = (await statusOf(name)) ?? {};
      expect(await log(name)).toBe(`${Array(5).fill(podIP).join(" ")} 127.0.0.1\n`);
      return podIP;
    };
    await create("ports-a", script(first));
    const isShared = (await outputOf("ports-a")) === "127.0.0.1"; // some machines have only one address for all pods
    await create("ports-b", script(isShared ? first + 10 : first));
    await outputOf("ports-b");
  });

  it("reaches its own ports on loopback, and no other pod's", async () => {
    const port = 24_000 + Math.floor(Math.random() * 1_000);
    const asks = `const http = require("http"), net = require("net");
      const text = (url) => new Promise((resolve) =>
        http.get(url, (response) => response.on("data", (data) => resolve(String(data)))).on("error", ({ code }) => resolve(code)));
      const dialled = (...args) => new Promise((resolve) => {
        const socket = net.connect(...args, () => resolve(socket.remoteAddress)).on("error", ({ code }) => resolve(code));
      });
      const ask = async () => {
        const all = [await text("http://localhost:${port}"), await text("http://127.0.0.1:${port}"),
        await dialled(${port}), await dialled({ port: ${port} }), await dialled(${port}, "localhost"),
        await new Promise((resolve) => { const s = new net.Socket(); s.on("error", ({ code }) => resolve(code)).connect(${port}, "127.0.0.1", () => resolve(s.remoteAddress)); }),
        ];
        console.log(all.join(" "));
      };`;
    await create("asks-itself", `${asks} http.createServer((_, response) => response.end("me")).listen(${port}, ask)`);
    await create("asks-another", `${asks} ask();`, {}, { restartPolicy: "Never" });
    for (const name of ["asks-itself", "asks-another"])
      await expect.poll(() => log(name).catch(() => ""), { timeout: 20_000 }).toContain("\n");
    const { podIP } = (await statusOf("asks-itself")) ?? {};
    expect(await log("asks-itself")).toBe(`me me ${podIP} ${podIP} ${podIP} ${podIP}\n`);
    if (podIP !== "127.0.0.1") expect(await log("asks-another")).toBe(`${Array(6).fill("ECONNREFUSED").join(" ")}\n`);
  });

  it("refuses other programs, and waits for volumes", async () => {
    await create("shell", "", { command: ["sh", "-c", "true"] });
    await create("waits", endless, {}, { volumes: [{ name: "v", secret: { secretName: "late" } }] });
    await expect
      .poll(() => mainOf("shell"))
      .toMatchObject({
        state: { waiting: { reason: "CreateContainerConfigError", message: expect.stringContaining('exec: "sh"') } },
      });
    await expect
      .poll(async () => (await client.list(Event, { namespace: "default" })).map(({ reason }) => reason))
      .toContain("FailedMount");
    expect(await mainOf("waits")).toMatchObject({ state: { waiting: { reason: "ContainerCreating" } } });
    await client.create(Secret, { metadata: { name: "late", namespace: "default" } });
    await expect.poll(() => mainOf("waits"), { timeout: 20_000 }).toMatchObject({ ready: true });
  });

  it("is used only for the exact image", async () => {
    for (const [name, image] of [
      ["tag", "docker.io/library/node:24"],
      ["short", "node:24.21.0-slim"],
    ] as const) {
      await create(name, "console.log(1)", { image });
      await expect.poll(() => mainOf(name)).toMatchObject({ ready: true });
      expect(await log(name)).toBe("");
    }
  });
});

describe.runIf(process.geteuid?.() === 0)("a plane run by root", root, () => {
  const mounts = {
    volumes: [
      { name: "s", secret: { secretName: "of-root", defaultMode: 0o400 } },
      { name: "scratch", emptyDir: {} },
    ],
  };
  const volumeMounts = [
    { name: "s", mountPath: "/etc/s" },
    { name: "scratch", mountPath: "/scratch" },
  ];
  const attempts = `const fs = require("fs");
    const attempt = (what) => { try { return what(); } catch ({ code }) { return code; } };`;
  const waitFor = (name: string, phase: string) => expect.poll(async () => (await statusOf(name))?.phase).toBe(phase);

  beforeAll(async () => {
    const stringData = { password: "secret of the pod" };
    await client.create(Secret, { metadata: { name: "of-root", namespace: "default" }, stringData });
  });

  it("runs a pod as a user that can read the pod's files and none of root's", async () => {
    const script = `${attempts}
      console.log(JSON.stringify({
        user: [process.getuid(), process.getgid() === process.getgroups()[0], process.getgroups().length],
        read: attempt(() => fs.readFileSync("/etc/shadow", "utf8")),
        environ: attempt(() => fs.readFileSync("/proc/" + process.ppid + "/environ", "utf8")),
        password: fs.readFileSync(process.argv[1] + "/password", "utf8"),
        token: fs.readFileSync(JSON.parse(fs.readFileSync(process.env.KUBECONFIG, "utf8")).users[0].user.tokenFile, "utf8").length > 100,
        own: [process.argv[2], process.env.HOME, process.env.TMPDIR, "."].map((folder) => attempt(() => fs.writeFileSync(folder + "/x", ""))),
        link: attempt(() => fs.symlinkSync("/etc", process.argv[1] + "/link")),
        change: attempt(() => fs.writeFileSync(process.argv[1] + "/password", "mine")),
        move: attempt(() => fs.renameSync(process.argv[1], process.argv[2] + "/moved")),
      }));`;
    await create(
      "nonroot",
      script,
      { args: ["/etc/s", "/scratch"], volumeMounts },
      { ...mounts, restartPolicy: "Never" },
    );
    await waitFor("nonroot", "Succeeded");
    expect(JSON.parse(await log("nonroot"))).toEqual({
      user: [65_532, true, 1],
      read: "EACCES",
      environ: "EACCES",
      password: "secret of the pod",
      token: true,
      own: [null, null, null, null],
      link: "EACCES",
      change: "EACCES",
      move: "EACCES",
    });
  });

  it("uses the pod's user, and separates the files of pods", async () => {
    const keeps = `console.log(process.argv[1]); ${endless}`;
    await create("keeps", keeps, { args: ["/etc/s"], volumeMounts }, mounts);
    await expect.poll(() => log("keeps").catch(() => "")).toMatch(/\n$/);
    const secret = (await log("keeps")).trim();
    const [folder = ""] = secret.split("/volumes/");
    const script = `${attempts} console.log(process.getuid(), process.getgid(), attempt(() => fs.readdirSync(process.argv[1])), attempt(() => fs.readFileSync(process.argv[2])))`;
    const args = { args: [folder, `${secret}/password`] };
    await create("reads", script, args, { restartPolicy: "Never" });
    const securityContext = { runAsUser: 4_242, runAsGroup: 4_343, runAsNonRoot: true };
    await create("reads-as-other", script, args, { restartPolicy: "Never", securityContext });
    for (const name of ["reads", "reads-as-other"]) await waitFor(name, "Succeeded");
    expect(await log("reads")).toMatch(/^65532 \d+ EACCES EACCES\n$/);
    expect(await log("reads-as-other")).toBe("4242 4343 EACCES EACCES\n");
  });

  it("refuses root if the pod forbids it", async () => {
    await create(
      "refused",
      endless,
      { securityContext: { runAsUser: 0 } },
      { securityContext: { runAsNonRoot: true } },
    );
    const message = "container's runAsUser breaks non-root policy";
    await expect
      .poll(() => mainOf("refused"))
      .toMatchObject({ state: { waiting: { reason: "CreateContainerConfigError", message } } });
  });

  it("names the folder that prevents a user from running Node.js", async () => {
    const folder = mkdtempSync(join(tmpdir(), "kubewright-closed-"));
    const execPath = join(folder, "node");
    writeFileSync(execPath, "", { mode: 0o755 });
    const images = { "example/node": processImage({ execPath }) };
    await using own = await startControlPlane({ images });
    await using admin = new Client({ connection: own.connection() });
    const spec = { containers: [{ name: "main", image: "example/node", command: ["node"] }] };
    await admin.create(Pod, { metadata: { name: "p", namespace: "default" }, spec });
    const state = async () => (await admin.get(Pod, "default/p")).status?.containerStatuses?.[0]?.state?.waiting;
    await expect.poll(state).toMatchObject({
      reason: "CreateContainerConfigError",
      message: `user 65532 cannot use ${execPath}: ${folder} is not accessible; install Node.js where every user can run it, or run the control plane as a separate user`,
    });
    rmSync(folder, { recursive: true });
  });

  it("does not start in a folder outside the pod's that a link leads to", async () => {
    const first = { name: "first", image: stockNodeImage, volumeMounts };
    const script =
      'require("fs").symlinkSync("/root", process.argv[1] + "/out"); require("fs").mkdirSync(process.argv[1] + "/in");';
    const initContainers = [{ ...first, command: ["node", "-e", script, "/scratch"] }];
    const where = "console.log(process.cwd())";
    const spec = { ...mounts, initContainers, restartPolicy: "Never" };
    await create("in", where, { workingDir: "/scratch/in", volumeMounts }, spec);
    await create("out", where, { workingDir: "/scratch/out", volumeMounts }, spec);
    await waitFor("in", "Succeeded");
    expect(await log("in", "container=main")).toMatch(/\/volumes\/scratch\/in\n$/);
    const message = 'workingDir "/scratch/out" points outside its volume';
    await expect
      .poll(() => mainOf("out"))
      .toMatchObject({ state: { waiting: { reason: "CreateContainerConfigError", message } } });
  });

  it.runIf(process.platform === "linux")("ends a pod's processes in every session", linux, async () => {
    const script = `const { spawn } = require("child_process");
      const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
      child.unref(); console.log(child.pid); ${endless}`;
    await create("escapes", script);
    await expect.poll(() => log("escapes").catch(() => "")).toMatch(/^\d+\n$/);
    const pid = Number(await log("escapes"));
    expect(isAlive(pid)).toBe(true);
    await client.delete(Pod, "default/escapes");
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

it("leaves nothing behind when the plane stops", async () => {
  const line = Promise.withResolvers<string>();
  const run = processImage();
  const capturing: typeof run = (context) =>
    run({ ...context, output: { write: (chunk) => line.resolve(Buffer.from(chunk).toString()) } });
  const own = await startControlPlane({ images: { "example/node": capturing } });
  const admin = new Client({ connection: own.connection() });
  const command = ["node", "-e", `console.log(process.pid, process.env.TMPDIR); ${endless}`];
  const spec = { containers: [{ name: "main", image: "example/node", command }] };
  await admin.create(Pod, { metadata: { name: "p", namespace: "default" }, spec });
  const [pid = "", temporary = ""] = (await line.promise).trim().split(" ");
  expect([isAlive(Number(pid)), existsSync(temporary)]).toEqual([true, true]);
  await admin.close();
  await own.stop();
  expect([isAlive(Number(pid)), existsSync(dirname(temporary))]).toEqual([false, false]);
});

describe("the running container of such an image", () => {
  const never = new AbortController().signal;
  const requestFor = async (pod: string, container = "main") => {
    const { metadata } = await client.get(Pod, `default/${pod}`);
    return { namespace: "default", pod, podUid: metadata.uid ?? "", container };
  };
  const isRunning = async (name: string) => (await mainOf(name))?.state?.running !== undefined;
  async function outputOf(pod: string, ...command: readonly string[]): Promise<string> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const session = plane.node.exec({ ...(await requestFor(pod)), command });
    const code = await session({ stdout, stderr, tty: false }, never);
    return `${code} ${stdout.read() ?? ""}${stderr.read() ?? ""}`;
  }
  /** Connects to a port of a pod. @returns what it sends */
  async function sentBy(pod: string, port: number): Promise<string> {
    const dial = plane.node.portForward(await requestFor(pod));
    const socket = await dial(port, never);
    return await text(socket);
  }
  const greeter = `const greet = (port, host, text) => require("net").createServer((socket) => socket.end(text)).listen(port, host);
    greet(18_080, undefined, "from everywhere");
    greet(18_081, "127.0.0.1", "from loopback");
    console.log("started");
    process.stdin.on("data", (line) => console.log("got " + line));`;

  it("runs commands with its variables, user, working directory and volumes", async () => {
    await create(
      "busy",
      greeter,
      { stdin: true, env: [{ name: "WHO", value: "me" }], volumeMounts: [{ name: "d", mountPath: "/data" }] },
      { volumes: [{ name: "d", emptyDir: {} }], terminationGracePeriodSeconds: 1 },
    );
    await expect.poll(() => log("busy").catch(() => "")).toContain("started");
    expect(await outputOf("busy", "sh", "-c", "echo $WHO > /data/x; basename $(pwd); exit 4")).toBe("4 main\n");
    expect(await outputOf("busy", "cat", "/data/x")).toBe("0 me\n");
    const own = process.geteuid?.() === 0 ? 65_532 : process.geteuid?.();
    expect(await outputOf("busy", "id", "-u")).toBe(`0 ${own}\n`);
    expect(await outputOf("busy", "node", "-e", "console.log(process.env.SECRET_OF_THE_PLANE)")).toBe("0 undefined\n");
  });

  it("accepts clients that attach", async () => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const gone = new AbortController();
    const attached = plane.node.attach(await requestFor("busy"))({ stdin, stdout, tty: false }, gone.signal);
    stdin.write("a line");
    await expect.poll(() => log("busy")).toContain("got a line");
    gone.abort();
    expect([await attached, String(stdout.read())]).toEqual([0, "got a line\n"]);
  });

  it("serves at most 100 clients of a node at the same time", async () => {
    const request = await requestFor("busy");
    const gone = new AbortController();
    const attach = (signal: AbortSignal) => plane.node.attach(request)({ tty: false }, signal);
    const attached = Array.from({ length: 100 }, () => attach(gone.signal));
    const why = /^node .* already serves 100 commands and attached clients$/;
    await expect(attach(never)).rejects.toThrow(why);
    await expect(plane.node.exec({ ...request, command: ["ls"] })({ tty: false }, never)).rejects.toThrow(why);
    gone.abort();
    await Promise.all(attached);
    expect(await outputOf("busy", "echo", "free")).toBe("0 free\n");
  });

  it("accepts connections to its ports, wherever it listens", async () => {
    expect(await sentBy("busy", 18_080)).toBe("from everywhere");
    expect(await sentBy("busy", 18_081)).toBe("from loopback");
    await expect(sentBy("busy", 18_082)).rejects.toThrow(
      "failed to connect to port 18082 of the pod: connect ECONNREFUSED",
    );
  });

  it.runIf(existsSync("/proc/self"))("does not connect to a port of another process", async () => {
    const other = createTcpServer((socket) => socket.end("from another process")).listen(18_083, "127.0.0.1");
    await expect(sentBy("busy", 18_083)).rejects.toThrow("ECONNREFUSED");
    await new Promise((resolve) => other.close(resolve));
  });

  it("takes its commands with it when it ends", async () => {
    const stdout = new PassThrough();
    const command = ["sh", "-c", "echo $$; exec sleep 100"];
    const running = plane.node.exec({ ...(await requestFor("busy")), command })({ stdout, tty: false }, never);
    const pid = Number(String((await stdout.take(1).toArray())[0]));
    await client.delete(Pod, "default/busy");
    expect(await running).toBe(143);
    expect(isAlive(pid)).toBe(false);
  });

  it("is required", async () => {
    await create("ended", "", {}, { restartPolicy: "Never" });
    await expect.poll(async () => (await statusOf("ended"))?.phase).toBe("Succeeded");
    const request = await requestFor("ended");
    expect(() => plane.node.exec({ ...request, command: ["ls"] })).toThrow('container not found ("main")');
    expect(() => plane.node.attach(request)).toThrow("container main not found in pod ended_default");
    expect(() => plane.node.portForward(request)).toThrow('pod not found ("ended_default")');
    expect(() => plane.node.exec({ ...request, podUid: "other", command: ["ls"] })).toThrow("container not found");
  });

  it("is required, not only a simulated one", async () => {
    await client.create(Pod, {
      metadata: { name: "simulated", namespace: "default" },
      spec: { nodeName: plane.node.name, containers: [{ name: "main", image: "nginx" }] },
    });
    await expect.poll(() => isRunning("simulated")).toBe(true);
    const request = await requestFor("simulated");
    const why = 'container "main" in pod "simulated" is simulated, so nothing runs in it';
    expect(() => plane.node.exec({ ...request, command: ["ls"] })).toThrow(why);
    expect(() => plane.node.attach(request)).toThrow(why);
    expect(() => plane.node.portForward(request)).toThrow('pod "simulated" is simulated, so it does not listen');
  });
});

it("runs processes on loopback only", async () => {
  const images = { [stockNodeImage]: processImage() };
  await expect(startControlPlane({ host: "0.0.0.0", images })).rejects.toThrow(
    `host 0.0.0.0: images that run as processes on this machine (${stockNodeImage}) require an API server on loopback`,
  );
});

it("ends with the plane, however it ends", async () => {
  const text = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);
  const script = `
    import { startControlPlane } from ${text("./control-plane.ts")};
    import { processImage } from ${text("./node/process/process-image.ts")};
    import { Client } from ${JSON.stringify(import.meta.resolve("@kubewright/client"))};
    import { Pod } from ${JSON.stringify(import.meta.resolve("@kubewright/client/kinds"))};
    const run = processImage();
    const seen = async (context) => {
      const write = (chunk) => process.stdout.write(chunk);
      return run({ ...context, output: { write } });
    };
    const plane = await startControlPlane({ images: { "example/node": seen } });
    const client = new Client({ connection: plane.connection() });
    const command = ["node", "-e", "console.log(process.pid, process.env.TMPDIR); ${endless}"];
    const spec = { containers: [{ name: "main", image: "example/node", command }] };
    await client.create(Pod, { metadata: { name: "p", namespace: "default" }, spec });
  `;
  const child = spawn(process.execPath, ["--conditions=@kubewright/source", "--input-type=module", "--eval", script], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output.includes("\n")) break;
  }
  const [pid = "", temporary = ""] = output.trim().split(" ");
  expect(isAlive(Number(pid))).toBe(true);
  child.kill("SIGKILL");
  await expect.poll(() => isAlive(Number(pid))).toBe(false);
  await rm(dirname(temporary), { recursive: true }); // nothing else is left that would remove it
});
