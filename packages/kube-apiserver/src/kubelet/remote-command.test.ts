import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { badRequest } from "@kubewright/apimachinery";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";
import type { ContainerExecRequest, ContainerSession } from "./kubelets.ts";
import { SpdyClient } from "./testing/spdy-client.ts";

const core = "/api/v1/namespaces/default";
const exec = `${core}/pods/web/exec?container=main&command=sh&command=-c`;
const folder = mkdtempSync(join(tmpdir(), "exec-"));
const auditLogPath = join(folder, "audit.log");
let server: ApiServer;
let api: ApiClient;
let session: ContainerSession;
let failure: Error | undefined;
let signal: AbortSignal | undefined;
const asked: ContainerExecRequest[] = [];

/** Prints its input, and a line on each output, like a small command. */
const echo: ContainerSession = async ({ stdin, stdout, stderr, tty }) => {
  stdout?.write(tty ? "terminal\n" : "out\n");
  stderr?.write("err\n");
  if (stdin) stdout?.write(await text(stdin));
  return 0;
};

beforeEach(() => {
  asked.length = 0;
  signal = undefined;
  session = echo;
  failure = undefined;
});
beforeAll(async () => {
  const find = (node: string, container: string): ContainerSession | undefined => {
    if (container === "old") throw new Error('container not found ("old")');
    if (failure) throw failure;
    const started: ContainerSession = (streams, gone) => {
      signal = gone;
      return session(streams, gone);
    };
    return node === "here" ? started : undefined;
  };
  server = await ApiServer.start({
    tls: false,
    auditLogPath,
    disableAdmissionPlugins: ["ServiceAccount"],
    kubelets: {
      containerLog: async () => undefined,
      async exec(node, wanted) {
        asked.push(wanted);
        return find(node, wanted.container);
      },
      attach: async (node, { container }) => find(node, container),
      portForward: async () => undefined,
    },
  });
  api = new ApiClient(server);
  await api.post("/api/v1/nodes", { metadata: { name: "here" } });
  const addresses = [{ type: "InternalIP", address: "10.0.0.9" }];
  await api.patch("/api/v1/nodes/here/status", "merge", { status: { addresses } });
  const containers = ["main", "old"].map((name) => ({ name, image: "x" }));
  await api.post(`${core}/pods`, { metadata: { name: "web" }, spec: { nodeName: "here", containers } });
});
afterAll(async () => {
  api.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

const headers = () => ({ authorization: `Bearer ${server.connection().token}` });

function webSocket(path: string, protocols: readonly string[]): WebSocket & { readonly received: string[] } {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}${path}`, [...protocols], { headers: headers() });
  const received: string[] = [];
  socket.on("message", (data: Buffer) => received.push(`${data[0]}:${data.subarray(1)}`));
  socket.on("error", () => {});
  return Object.assign(socket, { received });
}

/** Requests SPDY. @returns the client, or the response if the server refuses */
async function spdy(path: string, protocols = "v4.channel.k8s.io", upgrade = "SPDY/3.1") {
  const sent = request(`${server.url}${path}`, {
    method: "POST",
    headers: { ...headers(), connection: "Upgrade", upgrade, "x-stream-protocol-version": protocols },
  });
  sent.end();
  return await new Promise<{ client?: SpdyClient; code?: number; body?: string; protocol?: unknown }>(
    (resolve, reject) => {
      sent.on("error", reject);
      sent.on("upgrade", (response, socket) =>
        resolve({ client: new SpdyClient(socket), protocol: response.headers["x-stream-protocol-version"] }),
      );
      sent.on("response", async (response) => resolve({ code: response.statusCode ?? 0, body: await text(response) }));
    },
  );
}

const success = { metadata: {}, status: "Success" };
const exited3 = {
  status: "Failure",
  reason: "NonZeroExitCode",
  details: { causes: [{ reason: "ExitCode", message: "3" }] },
};
const all = "&stdin=true&stdout=true&stderr=true";

describe("exec over a WebSocket", () => {
  it("runs a command with the client's streams, and sends the result", async () => {
    const socket = webSocket(`${exec}&command=echo hi${all}`, ["v5.channel.k8s.io", "v4.channel.k8s.io"]);
    await once(socket, "open");
    expect(socket.protocol).toBe("v5.channel.k8s.io");
    socket.send(Buffer.from("\0first "));
    socket.send(Buffer.from("\0second"));
    socket.send(Buffer.from([2, 1, 2, 3])); // an output channel
    socket.send(Buffer.from([77, 1]));
    socket.send(Buffer.from([255, 0]));
    socket.send(Buffer.from("\0too late"));
    const [code] = await once(socket, "close");
    expect(code).toBe(1000);
    expect(socket.received[0]).toBe("1:");
    expect(socket.received.slice(1, 3).toSorted()).toEqual(["1:out\n", "2:err\n"]);
    expect(socket.received[3]).toBe("1:first second");
    expect(JSON.parse(socket.received[4]?.slice(2) ?? "")).toEqual(success);
    const pod = { namespace: "default", pod: "web", container: "main" };
    expect(asked).toMatchObject([{ ...pod, command: ["sh", "-c", "echo hi"] }]);
  });

  it.each([
    ["v4.channel.k8s.io", true],
    ["channel.k8s.io", false],
    ["", false],
  ])("sends the exit code in protocol '%s': %s", async (protocol, isStatus) => {
    session = async () => 3;
    const socket = webSocket(`${exec}&stdout=true`, protocol ? [protocol] : []);
    await once(socket, "close");
    const last = socket.received.at(-1) ?? "";
    expect(last).toMatch(/^3:/);
    if (isStatus) expect(JSON.parse(last.slice(2))).toMatchObject(exited3);
    else expect(last).toContain("command terminated with exit code 3");
  });

  it("sends nothing for a success in the oldest protocol", async () => {
    const socket = webSocket(`${exec}&stderr=true`, ["channel.k8s.io"]);
    await once(socket, "close");
    expect(socket.received).toEqual(["2:", "2:err\n"]);
  });

  it("encodes messages in Base64", async () => {
    const socket = webSocket(`${exec}${all}`, ["v4.base64.channel.k8s.io"]);
    session = async ({ stdin, stdout }) => {
      for await (const chunk of stdin ?? []) {
        stdout?.write(chunk);
        break;
      }
      return 0;
    };
    await once(socket, "open");
    socket.send(`0${Buffer.from("typed\n").toString("base64")}`);
    await once(socket, "close");
    const [channel, line] = [49, Buffer.from("typed\n").toString("base64")]; // "1"
    expect(socket.received.slice(0, 2)).toEqual([`${channel}:`, `${channel}:${line}`]);
  });

  it("has no separate error output with a terminal, and accepts the terminal's size", async () => {
    const socket = webSocket(`${exec}&stdout=true&stderr=true&tty=true`, ["v5.channel.k8s.io"]);
    await once(socket, "open");
    socket.send(Buffer.from('\x04{"Width":80,"Height":24}'));
    await once(socket, "close");
    expect(socket.received.slice(0, 2)).toEqual(["1:", "1:terminal\n"]);
    expect(socket.received.some((message) => message.startsWith("2:"))).toBe(false);
  });

  it.each([
    ["a client that disconnects", (socket: WebSocket) => socket.terminate()],
    ["a client that closes the WebSocket", (socket: WebSocket) => socket.close()],
    ["a client that ends no channel", (socket: WebSocket) => socket.send(Buffer.from([255]))],
    ["a message that is too long", (socket: WebSocket) => socket.send(Buffer.alloc(1_024 * 1_024 + 1))],
  ])("aborts the command after %s", async (_, end) => {
    session = async (_streams, gone) => {
      await once(gone, "abort");
      return 0;
    };
    const socket = webSocket(`${exec}${all}`, ["v5.channel.k8s.io"]);
    await once(socket, "message");
    end(socket);
    await expect.poll(() => signal?.aborted).toBe(true);
  });

  it("reads no faster than the command", async () => {
    const finish = Promise.withResolvers<void>();
    session = async ({ stdin, stdout }) => {
      await finish.promise;
      let bytes = 0;
      for await (const chunk of stdin ?? []) bytes += (chunk as Buffer).length;
      stdout?.write(`${bytes}`);
      return 0;
    };
    const socket = webSocket(`${exec}${all}`, ["v5.channel.k8s.io"]);
    await once(socket, "open");
    for (let i = 0; i < 400; i++) socket.send(Buffer.alloc(64 * 1_024));
    const seen: number[] = [];
    const hasSettled = (): boolean => seen.push(socket.bufferedAmount) > 1 && seen.at(-1) === seen.at(-2);
    await expect.poll(hasSettled, { interval: 100 }).toBe(true);
    expect(socket.bufferedAmount).toBeGreaterThan(8 * 1_024 * 1_024);
    finish.resolve();
    socket.send(Buffer.from([255, 0]));
    await once(socket, "close");
    expect(socket.received.at(-2)).toBe(`1:${400 * (64 * 1_024 - 1)}`);
  });

  it("reports a kubelet's errors after the upgrade in v5, and before it in older protocols", async () => {
    const resultOf = async (): Promise<unknown> => {
      const socket = webSocket(`${exec.replace("main", "old")}${all}`, ["v5.channel.k8s.io"]);
      await once(socket, "close");
      return JSON.parse(socket.received.at(-1)?.slice(2) ?? "");
    };
    const message = 'Internal error occurred: unable to upgrade connection: container not found ("old")';
    expect(await resultOf()).toMatchObject({ status: "Failure", reason: "InternalError", message, code: 500 });
    const older = webSocket(`${exec.replace("main", "old")}${all}`, ["v4.channel.k8s.io"]);
    const [, response] = await once(older, "unexpected-response");
    expect([response.statusCode, await text(response)]).toEqual([500, 'container not found ("old")']);
    failure = badRequest("it is simulated");
    const socket = webSocket(`${exec}${all}`, ["v5.channel.k8s.io"]);
    await once(socket, "close");
    expect(JSON.parse(socket.received.at(-1)?.slice(2) ?? "")).toMatchObject({ message: "it is simulated", code: 400 });
  });

  it("rejects other protocols", async () => {
    const socket = webSocket(`${exec}${all}`, ["v9.channel.k8s.io"]);
    const [, response] = await once(socket, "unexpected-response");
    expect(response.statusCode).toBe(403);
  });
});

describe("exec over SPDY", () => {
  it("runs a command with the client's streams, and sends the result", async () => {
    const { client = expect.unreachable(), protocol } = await spdy(
      `${exec}&command=true${all}`,
      "v9, v4.channel.k8s.io",
    );
    expect(protocol).toBe("v4.channel.k8s.io");
    const error = await client.open({ streamtype: "error" });
    const stdin = await client.open({ streamtype: "stdin" });
    const stdout = await client.open({ streamtype: "stdout" });
    const stderr = await client.open({ streamtype: "stderr" });
    client.write(stdin, "typed");
    client.write(stdout, "ignored");
    client.write(stdin, "", true);
    expect(await client.text(stdout)).toBe("out\ntyped");
    expect(await client.text(stderr)).toBe("err\n");
    expect(JSON.parse(await client.text(error))).toEqual(success);
    await client.received(({ type }) => type === "goAway");
    await client.close();
  });

  it("waits for the stream for the terminal's size", async () => {
    const { client = expect.unreachable() } = await spdy(`${exec}&stdout=true&stderr=true&tty=true`);
    const error = await client.open({ streamtype: "error" });
    const stdout = await client.open({ streamtype: "stdout" });
    await client.received((frame) => frame.type === "reply" && frame.id === stdout);
    const refused = await client.open({ streamtype: "stdout" });
    await client.received((frame) => frame.type === "reset" && frame.id === refused);
    expect(client.frames.some(({ type }) => type === "data")).toBe(false);
    await client.open({ streamtype: "resize" });
    expect(await client.text(stdout)).toBe("terminal\n");
    expect(JSON.parse(await client.text(error))).toEqual(success);
    await client.close();
  });

  it.each(["v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io"])("sends text in %s", async (protocol) => {
    session = async () => 3;
    const { client = expect.unreachable() } = await spdy(`${exec}&stdout=true`, protocol);
    const error = await client.open({ streamtype: "error" });
    await client.open({ streamtype: "stdout" });
    expect(await client.text(error)).toMatch(/command terminated with exit code 3$/);
    await client.close();
  });

  it("aborts the command after a client that disconnects", async () => {
    session = async (_streams, gone) => {
      await once(gone, "abort");
      return 0;
    };
    const { client = expect.unreachable() } = await spdy(`${exec}&stdout=true`);
    await client.open({ streamtype: "error" });
    const stdout = await client.open({ streamtype: "stdout" });
    await client.received((frame) => frame.type === "reply" && frame.id === stdout);
    await client.close();
    await expect.poll(() => signal?.aborted).toBe(true);
  });

  it.each([
    [
      "no protocol",
      `${exec}${all}`,
      "",
      "SPDY/3.1",
      400,
      "unable to upgrade: header X-Stream-Protocol-Version does not exist",
    ],
    ["another protocol", `${exec}${all}`, "v9", "SPDY/3.1", 403, "unable to negotiate protocol: client supports [v9]"],
    ["another upgrade", `${exec}${all}`, "v4.channel.k8s.io", "h2c", 400, "missing upgrade headers"],
    ["no streams", exec, "v4.channel.k8s.io", "SPDY/3.1", 400, "you must specify at least 1 of stdin, stdout, stderr"],
    [
      "a lost container",
      `${exec.replace("main", "old")}${all}`,
      "v4.channel.k8s.io",
      "SPDY/3.1",
      500,
      "container not found",
    ],
  ])("rejects a request for %s", async (_, path, protocols, upgrade, code, message) => {
    const refused = await spdy(path, protocols, upgrade);
    expect(refused.code).toBe(code);
    expect(refused.body).toContain(message);
  });
});

it("attaches to a process, and reports its errors", async () => {
  session = async () => {
    throw new Error("no such process");
  };
  const socket = webSocket(`${core}/pods/web/attach?container=main&stdout=true`, ["v5.channel.k8s.io"]);
  await once(socket, "close");
  const message = "Internal error occurred: error attaching to container: no such process";
  expect(JSON.parse(socket.received.at(-1)?.slice(2) ?? "")).toMatchObject({ message, code: 500 });
});

it("records connections in the audit log when they are opened and when they end", async () => {
  const recorded = (): { stage: string; verb: string; code?: number }[] =>
    readFileSync(auditLogPath, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ requestURI }) => requestURI.includes("audited"))
      .map(({ stage, verb, responseStatus }) => ({
        stage,
        verb,
        ...(responseStatus && { code: responseStatus.code }),
      }));
  const stages = (verb: string) => [
    { stage: "RequestReceived", verb },
    { stage: "ResponseStarted", verb, code: 101 },
    { stage: "ResponseComplete", verb, code: 101 },
  ];
  await once(webSocket(`${exec}&stdout=true&command=audited`, ["v5.channel.k8s.io"]), "close");
  await expect.poll(recorded).toEqual(stages("get"));
  const { client = expect.unreachable() } = await spdy(`${exec}&stdout=true&command=audited`);
  await client.close();
  await expect.poll(recorded).toEqual([...stages("get"), ...stages("create")]);
});
