import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { ApiServer } from "./api-server.ts";

interface ReceivedResponse {
  readonly code: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Received until the connection ended. */
  readonly messages: readonly string[];
  /** The connection's close code. */
  readonly closing?: number;
  readonly protocol?: string;
}

function connect(server: ApiServer, path: string, options: WebSocket.ClientOptions, protocol?: string): WebSocket {
  const { caData, certData, keyData } = server.connection();
  const address = new URL(path, server.url.replace("https:", "wss:"));
  const identity = { ca: caData, cert: certData, key: keyData };
  return new WebSocket(address, protocol ?? [], { ...identity, ...options });
}

async function open(
  server: ApiServer,
  path: string,
  options: WebSocket.ClientOptions,
  protocol?: string,
): Promise<ReceivedResponse> {
  const socket = connect(server, path, options, protocol);
  const messages: string[] = [];
  return await new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("unexpected-response", (_, { statusCode: code, headers }) => resolve({ code, headers, messages }));
    socket.on("message", (data) => messages.push(String(data)));
    socket.on("upgrade", ({ statusCode: code, headers }) => {
      socket.on("close", (closing) => resolve({ code, headers, messages, closing, protocol: socket.protocol }));
    });
  });
}

const watching = "/api/v1/namespaces?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Ddefault";

describe("a watch over a WebSocket", () => {
  it("sends one message per event and ends with the watch, as kube-apiserver does", async () => {
    const server = await ApiServer.start();
    const { code, messages, closing } = await open(server, watching, { origin: "https://example.com" });
    await server.stop();
    expect(code).toBe(101);
    expect(closing).toBe(1000); // normal closure
    expect(messages.map((message) => JSON.parse(message).type)).toEqual(["ADDED"]);
  });

  it("is rejected without an origin, or with another version", async () => {
    const server = await ApiServer.start();
    const nowhere = await open(server, watching, {});
    const older = await open(server, watching, { origin: "https://a", protocolVersion: 8 });
    await server.stop();
    expect([nowhere.code, older.code]).toEqual([403, 400]);
  });

  it("uses the requested protocol; other upgrade requests are answered with plain HTTP", async () => {
    const server = await ApiServer.start();
    const from = { origin: "https://a" };
    const watched = await open(server, watching, from, "v4.channel.k8s.io");
    const read = await open(server, "/api/v1/namespaces/default", from);
    await server.stop();
    expect(watched.protocol).toBe("v4.channel.k8s.io");
    expect([read.code, read.headers.connection]).toEqual([200, "close"]);
  });

  it("ends for a client that sends too much", async () => {
    const server = await ApiServer.start();
    const socket = connect(server, "/api/v1/namespaces?watch=true", { origin: "https://a" });
    await once(socket, "open");
    socket.send(Buffer.alloc(64 * 1024));
    socket.send(Buffer.alloc(64 * 1024 + 1));
    const [closing] = await once(socket, "close");
    await server.stop();
    expect(closing).toBe(1009); // message too big
  });

  it("ends for a client with invalid frames", async () => {
    const server = await ApiServer.start();
    const socket = connect(server, "/api/v1/namespaces?watch=true", { origin: "https://a" });
    const [{ socket: connection }] = await once(socket, "upgrade");
    connection.write(Buffer.alloc(200_000, 0x55));
    const [closing] = await once(socket, "close");
    await server.stop();
    expect([1002, 1006]).toContain(closing);
  });
});
