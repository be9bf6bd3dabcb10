import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect, createServer, type Server } from "node:net";
import { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";
import { SpdyClient } from "./testing/spdy-client.ts";

const core = "/api/v1/namespaces/default";
const forward = `${core}/pods/web/portforward`;
let server: ApiServer;
let api: ApiClient;
let pod: Server;
let uid: string;
let failure: Error | undefined;

beforeAll(async () => {
  // answers each request with its text in upper case after the client has ended its side
  pod = createServer({ allowHalfOpen: true }, async (socket) => {
    socket.on("error", () => {});
    socket.end((await text(socket)).toUpperCase());
  });
  pod.listen(0, "127.0.0.1");
  await once(pod, "listening");
  const address = pod.address();
  const listening = typeof address === "object" ? (address?.port ?? 0) : 0;
  server = await ApiServer.start({
    tls: false,
    disableAdmissionPlugins: ["ServiceAccount"],
    kubelets: {
      containerLog: async () => undefined,
      exec: async () => undefined,
      attach: async () => undefined,
      async portForward() {
        if (failure) throw failure;
        return async (port) => {
          if (port !== 80) throw new Error("connection refused");
          return connect({ port: listening, host: "127.0.0.1", allowHalfOpen: true });
        };
      },
    },
  });
  api = new ApiClient(server);
  await api.post("/api/v1/nodes", { metadata: { name: "here" } });
  const addresses = [{ type: "InternalIP", address: "10.0.0.9" }];
  await api.patch("/api/v1/nodes/here/status", "merge", { status: { addresses } });
  const spec = { nodeName: "here", containers: [{ name: "main", image: "x" }] };
  uid = (await api.post(`${core}/pods`, { metadata: { name: "web" }, spec })).body.metadata.uid;
});
afterAll(async () => {
  api.close();
  await server.stop();
  pod.close();
});

const headers = () => ({ authorization: `Bearer ${server.connection().token}` });
const webSocket = (path: string, protocol: string): WebSocket =>
  new WebSocket(`${server.url.replace("http", "ws")}${path}`, [protocol], { headers: headers() }).on("error", () => {});

async function overSpdy(): Promise<SpdyClient> {
  const upgrade = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": "portforward.k8s.io" };
  const sent = request(`${server.url}${forward}`, { method: "POST", headers: { ...headers(), ...upgrade } }).end();
  const [, socket] = await once(sent, "upgrade");
  return new SpdyClient(socket);
}

/** Sends and receives messages of a WebSocket itself, because libraries reject this protocol's name. */
async function overTunnel(): Promise<SpdyClient> {
  const sent = request(`${server.url}${forward}`, { headers: { ...headers(), ...tunnelHeaders } }).end();
  const [response, socket] = await new Promise<[IncomingMessage, Duplex]>((resolve, reject) => {
    sent.on("upgrade", (...upgraded) => resolve([upgraded[0], upgraded[1]])).on("error", reject);
  });
  expect(response.headers["sec-websocket-protocol"]).toBe("SPDY/3.1+portforward.k8s.io");
  const tunnel = new Duplex({
    read: () => {},
    write(chunk: Buffer, _, done) {
      const length = Buffer.from([chunk.length >> 8, chunk.length & 255]);
      socket.write(Buffer.concat([Buffer.from([0x82, 0xfe]), length, Buffer.alloc(4), chunk]), done);
    },
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 2 && rest.length >= 2 + (rest[1] ?? 0)) {
      if (rest[0] === 0x82) tunnel.push(rest.subarray(2, 2 + (rest[1] ?? 0)));
      rest = rest.subarray(2 + (rest[1] ?? 0));
    }
  });
  socket.on("close", () => tunnel.destroy());
  return new SpdyClient(tunnel);
}

const tunnelHeaders = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": Buffer.alloc(16).toString("base64"),
  "sec-websocket-protocol": "SPDY/3.1+portforward.k8s.io",
};

async function open(client: SpdyClient, port: string, requestid?: string): Promise<{ error: number; data: number }> {
  const both = { port, ...(requestid === undefined ? {} : { requestid }) };
  const error = await client.open({ ...both, streamtype: "error" });
  return { error, data: await client.open({ ...both, streamtype: "data" }) };
}

describe.each([
  ["SPDY", overSpdy],
  ["SPDY in a WebSocket", overTunnel],
])("port forwarding over %s", (_, connected) => {
  it("joins each pair of streams with a connection to the pod", async () => {
    const client = await connected();
    const pairs = [await open(client, "80", "1"), await open(client, "80", "0"), await open(client, "80")];
    for (const [index, { data }] of pairs.entries()) client.write(data, `request ${index}`, true);
    for (const [index, { data, error }] of pairs.entries()) {
      expect(await client.text(data)).toBe(`REQUEST ${index}`);
      expect(await client.text(error)).toBe("");
    }
    await client.close();
  });

  it("reports a port at which nothing listens, and continues", async () => {
    const client = await connected();
    const { error, data } = await open(client, "81", "0");
    const why = `error forwarding port 81 to pod web, uid ${uid}: connection refused`;
    expect(await client.text(error)).toBe(why);
    await client.received((frame) => frame.type === "reset" && frame.id === data);
    const next = await open(client, "80", "1");
    client.write(next.data, "x", true);
    expect(await client.text(next.data)).toBe("X");
    await client.close();
  });

  it("resets streams without a valid port or type, and a second stream of the same type", async () => {
    const client = await connected();
    const invalid = [{ port: "80" }, { streamtype: "data" }, { streamtype: "resize", port: "80" }];
    const ports = ["0", "65536", "-1", "x", "8e1"].map((port) => ({ streamtype: "data", port }));
    for (const wanted of [...invalid, ...ports]) {
      const id = await client.open({ ...wanted, requestid: "0" });
      await client.received((frame) => frame.type === "reset" && frame.id === id);
    }
    await client.open({ streamtype: "data", port: "80", requestid: "1" });
    const again = await client.open({ streamtype: "data", port: "80", requestid: "1" });
    await client.received((frame) => frame.type === "reset" && frame.id === again);
    await client.close();
  });

  it("closes the connection after invalid frames", async () => {
    const client = await connected();
    client.send(Buffer.from("ff".repeat(8), "hex"));
    await expect.poll(() => client.isClosed).toBe(true);
  });

  it("closes the connections to the pod when the client disconnects", async () => {
    const client = await connected();
    const connection = once(pod, "connection");
    await open(client, "80", "0");
    const [socket] = await connection;
    await client.close();
    if (!socket.destroyed) await once(socket, "close");
  });
});

describe("port forwarding over a WebSocket with channels", () => {
  it("sends each port's number, and then its data", async () => {
    const connection = once(pod, "connection");
    const socket = webSocket(`${forward}?ports=81&ports=80`, "v4.channel.k8s.io");
    const messages: string[] = [];
    socket.on("message", (data: Buffer) => messages.push(data.toString("latin1")));
    await expect.poll(() => messages.length).toBe(5);
    expect(messages.slice(0, 4)).toEqual(["\0Q\0", "\x01Q\0", "\x02P\0", "\x03P\0"]);
    expect(messages[4]).toBe(`\x01error forwarding port 81 to pod web, uid ${uid}: connection refused`);
    const [accepted] = await connection;
    socket.send(Buffer.from("\x02abc"));
    await expect.poll(() => accepted.bytesRead).toBe(3);
    accepted.end("from the pod");
    const [code] = await once(socket, "close");
    expect([code, messages[5]]).toEqual([1000, "\x02from the pod"]);
  });

  it.each([
    ["", 400, 'query parameter "port" is required'],
    ["?ports=0", 400, "must be > 0"],
    [`?ports=${Array.from({ length: 128 }, () => 80).join(",")}`, 400, "at most 127"],
  ])("rejects the ports '%s'", async (query, code, message) => {
    const [, response] = await once(webSocket(`${forward}${query}`, "v4.channel.k8s.io"), "unexpected-response");
    expect(response.statusCode).toBe(code);
    expect(await text(response)).toContain(message);
  });

  it("reports a kubelet's error before the upgrade", async () => {
    failure = new Error('pod not found ("web_default")');
    const sent = request(`${server.url}${forward}`, { headers: { ...headers(), ...tunnelHeaders } }).end();
    const [response] = await once(sent, "response");
    failure = undefined;
    expect([response.statusCode, await text(response)]).toEqual([500, 'pod not found ("web_default")']);
  });
});
