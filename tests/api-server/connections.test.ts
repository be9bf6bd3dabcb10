import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, constants } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ApiServer } from "@kubewright/kube-apiserver";
import { Agent, fetch } from "undici";
import { afterEach, beforeEach, expect, it } from "vitest";
import { plainClient, type RawClient, requestOf, type ServerAddress, tlsClient } from "./connections/raw-client.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: typeof globalThis.gc = runInNewContext("gc");
const mebibyte = 1024 * 1024;
/** Returns the bytes of memory in use after garbage collection. */
function memoryInUse(): number {
  collectGarbage?.({ type: "major", execution: "sync", flavor: "last-resort" }); // V8 gives unused pages back
  return process.memoryUsage.rss();
}
const requestTimeoutMs = 5_000;
const patient = { timeout: 120_000, interval: 200 };
const configMaps = "/api/v1/namespaces/default/configmaps";
const opened: RawClient[] = [];
let server: ApiServer;
let agent: Agent;

beforeEach(async () => {
  server = await ApiServer.start({ requestTimeoutMs });
  agent = agentOf(server.connection());
});
afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.destroy();
  await agent.destroy();
  await server.stop();
});

function agentOf({ caData = "", certData = "", keyData = "" }: ReturnType<ApiServer["connection"]>): Agent {
  return new Agent({ connect: { ca: caData, cert: certData, key: keyData }, allowH2: false });
}

/** Sends a request like a normal client. */
async function call(
  path: string,
  method = "GET",
  body?: unknown,
  { url, dispatcher }: Pick<MeasuredServer, "url" | "dispatcher"> = { url: server.url, dispatcher: agent },
): Promise<{ status: number; bytes: number }> {
  const response = await fetch(`${url}${path}`, {
    method,
    dispatcher,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
}

/** Sends requests while `work` runs. Returns their number, and fails if one was not answered. */
async function whileServing<T>(
  work: Promise<T>,
  ready = async (): Promise<number> => (await call("/readyz")).status,
): Promise<T> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  over.catch(() => {}); // awaited below
  while (!isOver) {
    expect(await ready()).toBe(200);
    await sleep(100);
  }
  return over;
}

const many = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make));

async function open(count: number, make: () => Promise<RawClient>): Promise<RawClient[]> {
  const clients = await many(count, make);
  opened.push(...clients);
  return clients;
}

async function fill(count: number, bytes: number, of?: MeasuredServer): Promise<void> {
  const data = { text: "x".repeat(bytes) };
  for (let at = 0; at < count; at++) await call(configMaps, "POST", { metadata: { name: `c${at}` }, data }, of);
}

/** A server in a process of its own, in which nothing else uses memory. */
interface MeasuredServer extends ServerAddress, AsyncDisposable {
  readonly url: string;
  readonly dispatcher: Agent;
  /** Returns the bytes of memory in use after garbage collection. */
  memory(): Promise<number>;
}

async function startMeasured(tls: "tls" | "plain", timeoutMs = 60_000): Promise<MeasuredServer> {
  const flags = ["--expose-gc", "--conditions=@kubewright/source"];
  const { child, line } = program("connections/measured-server.ts", flags, tls, String(timeoutMs));
  const { port, url, connection } = JSON.parse(await line());
  const dispatcher = agentOf(connection);
  return {
    port,
    url,
    dispatcher,
    connection: () => connection,
    memory: async () => {
      child.stdin.write("\n");
      return Number(await line());
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await dispatcher.destroy();
    },
  };
}

it.each([
  { name: "10,000 idle connections, at less than 50 KiB each", tls: false, wanted: 10_000, mostKib: 50 },
  { name: "1,000 idle connections of TLS, at less than 100 KiB each", tls: true, wanted: 1_000, mostKib: 100 },
])("serves others despite $name", async ({ tls, wanted, mostKib }) => {
  const limit = execFileSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }).trim();
  const count = limit === "unlimited" ? wanted : Math.min(wanted, Number(limit) - 500);
  const folder = mkdtempSync(join(tmpdir(), "connections-"));
  await using measured = await startMeasured(tls ? "tls" : "plain");
  const caFile = tls ? join(folder, "ca.pem") : "";
  if (tls) writeFileSync(caFile, measured.connection().caData ?? "");
  const ready = async () => (await call("/readyz", "GET", undefined, measured)).status;
  expect(await ready()).toBe(200);
  const before = await measured.memory();
  const clients = program("connections/idle-clients.ts", [], String(measured.port), String(count), caFile);
  try {
    expect(JSON.parse(await whileServing(clients.line(), ready))).toEqual({ open: count });
    expect(await ready()).toBe(200);
    const kibEach = async (): Promise<number> => Math.round(((await measured.memory()) - before) / 1024 / count);
    await expect.poll(kibEach, patient).toBeLessThan(mostKib);
    console.log(`${count} connections (ulimit -n: ${limit}), ${await kibEach()} KiB of memory each`);
    clients.child.kill("SIGKILL");
    expect(await ready()).toBe(200);
  } finally {
    clients.child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Starts a program next to this file; `line` returns its next line. */
function program(path: string, flags: readonly string[], ...args: readonly string[]) {
  const words = [...flags, fileURLToPath(new URL(path, import.meta.url)), ...args];
  const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const line = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${path} has ended`);
    return value;
  };
  return { child, line };
}

it("keeps less than 1 MiB for a client that does not read its list, and ends it after its timeout", async () => {
  await using measured = await startMeasured("tls", requestTimeoutMs);
  await fill(200, 100_000, measured);
  const list = () => call(configMaps, "GET", undefined, measured);
  const { bytes } = await list();
  expect(bytes).toBeGreaterThan(19 * mebibyte);
  const before = await measured.memory();
  const readers = await open(50, () => tlsClient(measured, `${requestOf(configMaps)}\r\n`, false));
  let grown = 0;
  const untilMs = performance.now() + requestTimeoutMs + 2_000;
  const measure = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      grown = Math.max(grown, (await measured.memory()) - before);
      await sleep(200);
    }
  };
  await whileServing(measure(), async () => (await call("/readyz", "GET", undefined, measured)).status);
  expect((await list()).bytes).toBe(bytes);
  const kibEach = Math.round(grown / 1024 / readers.length);
  console.log(`memory grew by up to ${kibEach} KiB per client with an unread list of ${bytes} bytes`);
  expect(kibEach).toBeLessThan(1024); // including the only copy of the list
  for (const { socket } of readers) socket.resume(); // a socket that is not read does not notice its end
  await expect.poll(() => readers.every(({ isClosed }) => isClosed), patient).toBe(true);
});

it("ends watches of clients that do not read, and sends the others everything", async () => {
  const events = 4_000;
  const sent = `${requestOf(`${configMaps}?watch=true&resourceVersion=0`)}\r\n`;
  const slow = await open(60, () => tlsClient(server, sent, false));
  const [quick] = await open(1, () => tlsClient(server, sent));
  await expect.poll(() => server.watchCount).toBe(61);
  const before = memoryInUse();
  await whileServing(fill(events, 10_000));
  await expect.poll(() => quick?.received.match(/"type":"ADDED"/g)?.length, patient).toBe(events);
  const grown = memoryInUse() - before;
  console.log(
    `memory grew by ${Math.round(grown / mebibyte)} MiB for 40 MB of objects and ${slow.length} slow watchers`,
  );
  expect(grown).toBeLessThan(800 * mebibyte); // separate copies would need 2,400
  for (const client of slow) {
    client.socket.on("data", (chunk: string) => Object.assign(client, { received: client.received + chunk }));
    client.socket.resume();
  }
  await expect.poll(() => server.watchCount, patient).toBe(1);
  for (const { received } of slow) expect(received.match(/"type":"ADDED"/g)?.length ?? 0).toBeLessThan(events);
});

it("ends connections that stop during TLS, headers or body", async () => {
  const silent = await open(100, () => plainClient(server));
  const stuck = await open(100, async () => {
    const client = await plainClient(server);
    client.socket.write(Buffer.from("16030100f8010000f40303", "hex")); // the beginning of a ClientHello
    return client;
  });
  const wordless = await open(100, () => tlsClient(server));
  const headers = await open(100, () => tlsClient(server, `${requestOf(configMaps)}x-half: o`));
  const body = `${requestOf(configMaps, "POST")}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"a`;
  const bodies = await open(100, () => tlsClient(server, body));
  await whileServing(expect.poll(() => bodies.every(({ isClosed }) => isClosed), patient).toBe(true));
  expect(new Set(bodies.map(({ received }) => received.split("\r\n", 1)[0]))).toEqual(
    new Set(["HTTP/1.1 504 Gateway Timeout"]),
  );
  const others = [...silent, ...stuck, ...wordless, ...headers];
  await whileServing(expect.poll(() => others.filter(({ isClosed }) => !isClosed).length, patient).toBe(0));
});

it("survives clients that disconnect at once", async () => {
  const gone = async (text: string): Promise<void> => {
    const { socket } = await tlsClient(server, text);
    socket.destroy();
  };
  await whileServing(
    (async () => {
      for (let round = 0; round < 20; round++)
        await Promise.all([
          many(5, async () => (await plainClient(server)).socket.destroy()),
          many(5, () => gone("")),
          many(5, () => gone(`${requestOf(`${configMaps}?watch=true`)}\r\n`)),
          many(5, () => gone(`${requestOf(configMaps)}\r\n`)),
          many(5, () => gone(`${requestOf(configMaps, "POST")}content-length: 9\r\n\r\n{`)),
        ]);
    })(),
  );
  await expect.poll(() => server.watchCount).toBe(0);
});

it("serves a thousand streams of one HTTP/2 connection, streams that are reset at once, and endless bodies", async () => {
  const { server: url, caData = "", certData = "", keyData = "" } = server.connection();
  const session = connect(url, { ca: caData, cert: certData, key: keyData });
  session.on("error", () => {});
  const ask = (path: string, method = "GET") =>
    session.request({ ":path": path, ":method": method }, { endStream: method === "GET" });
  const statusOf = async (stream: ReturnType<typeof ask>): Promise<number> => {
    const [headers] = (await once(stream, "response")) as [Record<string, number>];
    stream.resume();
    return headers[":status"] ?? 0;
  };
  const watches = Array.from({ length: 900 }, () => ask(`${configMaps}?watch=true`));
  await whileServing(Promise.all(watches.map(statusOf)));
  expect(server.watchCount).toBe(900);
  const statuses = await whileServing(many(2_000, () => statusOf(ask("/readyz"))));
  expect(new Set(statuses)).toEqual(new Set([200]));
  for (let at = 0; at < 50; at++) {
    const stream = ask(configMaps);
    stream.on("error", () => {});
    stream.close(constants.NGHTTP2_CANCEL);
  }
  const endless = Array.from({ length: 50 }, () => {
    const stream = ask(configMaps, "POST");
    stream.on("error", () => {});
    stream.write('{"metadata":');
    return stream;
  });
  const ended = Promise.all(endless.map((stream) => once(stream, "close")));
  expect(new Set(await whileServing(Promise.all(endless.map(statusOf))))).toEqual(new Set([504]));
  await ended;
  session.destroy();
  await expect.poll(() => server.watchCount).toBe(0);
});
