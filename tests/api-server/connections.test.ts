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
import { plainClient, type RawClient, requestOf, tlsClient } from "./connections/raw-client.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const mebibyte = 1024 * 1024;
/** Returns the bytes of memory in use after garbage collection, without the part of the heap that V8 reserves. */
function memoryInUse(): number {
  collectGarbage();
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  return rss - (heapTotal - heapUsed);
}
const requestTimeoutMs = 5_000;
const patient = { timeout: 120_000, interval: 200 };
const configMaps = "/api/v1/namespaces/default/configmaps";
const opened: RawClient[] = [];
let server: ApiServer;
let agent: Agent;

beforeEach(async () => {
  server = await ApiServer.start({ requestTimeoutMs });
  agent = agentOf(server);
});
afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.destroy();
  await agent.destroy();
  await server.stop();
});

function agentOf(server: ApiServer): Agent {
  const { caData = "", certData = "", keyData = "" } = server.connection();
  return new Agent({ connect: { ca: caData, cert: certData, key: keyData }, allowH2: false });
}

/** Sends a request like a normal client. */
async function call(path: string, method = "GET", body?: unknown): Promise<{ status: number; bytes: number }> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    dispatcher: agent,
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

async function fill(count: number, bytes: number): Promise<void> {
  const data = { text: "x".repeat(bytes) };
  for (let at = 0; at < count; at++) await call(configMaps, "POST", { metadata: { name: `c${at}` }, data });
}

it.each([
  { name: "10,000 idle connections, at less than 50 KiB each", tls: false, wanted: 10_000, mostKib: 50 },
  { name: "1,000 idle connections of TLS, at less than 100 KiB each", tls: true, wanted: 1_000, mostKib: 100 },
])("serves others despite $name", async ({ tls, wanted, mostKib }) => {
  const limit = execFileSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }).trim();
  const count = limit === "unlimited" ? wanted : Math.min(wanted, Number(limit) - 500);
  const folder = mkdtempSync(join(tmpdir(), "connections-"));
  const flags = ["--expose-gc", "--conditions=@kubewright/source"];
  const measured = program("connections/measured-server.ts", flags, tls ? "tls" : "plain");
  const { port, url, connection } = JSON.parse(await measured.line());
  const memory = async (): Promise<number> => {
    measured.child.stdin.write("\n");
    return Number(await measured.line());
  };
  const caFile = tls ? join(folder, "ca.pem") : "";
  if (tls) writeFileSync(caFile, connection.caData);
  const { caData: ca, certData: cert, keyData: key, token } = connection;
  const dispatcher = new Agent({ connect: { ca, cert, key }, allowH2: false });
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const ready = async () => (await fetch(`${url}/readyz`, { dispatcher, headers })).status;
  expect(await ready()).toBe(200);
  const before = await memory();
  const clients = program("connections/idle-clients.ts", [], String(port), String(count), caFile);
  try {
    expect(JSON.parse(await whileServing(clients.line(), ready))).toEqual({ open: count });
    expect(await ready()).toBe(200);
    const kibEach = async (): Promise<number> => Math.round(((await memory()) - before) / 1024 / count);
    await expect.poll(kibEach, patient).toBeLessThan(mostKib);
    console.log(`${count} connections (ulimit -n: ${limit}), ${await kibEach()} KiB of memory each`);
    clients.child.kill("SIGKILL");
    expect(await ready()).toBe(200);
  } finally {
    for (const { child } of [clients, measured]) child.kill("SIGKILL");
    await dispatcher.destroy();
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

it("keeps less than 2 MiB for a client that does not read its list, and ends it after its timeout", async () => {
  await fill(200, 100_000);
  const { bytes } = await call(configMaps);
  expect(bytes).toBeGreaterThan(19 * mebibyte);
  const before = memoryInUse();
  const readers = await open(50, () => tlsClient(server, `${requestOf(configMaps)}\r\n`, false));
  await whileServing(sleep(requestTimeoutMs + 2_000));
  expect((await call(configMaps)).bytes).toBe(bytes);
  const grownKib = (): number => Math.round((memoryInUse() - before) / 1024 / readers.length);
  // All files of this project share one process, in which memory of other tests may still have to be freed.
  await expect.poll(grownKib, { timeout: 10_000, interval: 200 }).toBeLessThan(2 * 1024);
  console.log(`memory grew by ${grownKib()} KiB per client with an unread list of ${bytes} bytes`);
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
