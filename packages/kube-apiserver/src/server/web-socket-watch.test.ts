import { request } from "node:https";
import { closing, readMessages } from "@kubewright/apiserver/http";
import { describe, expect, it } from "vitest";
import { ApiServer } from "./api-server.ts";

const wanted = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
};

interface Answer {
  readonly code: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Payloads of the messages until the connection ended. */
  readonly messages: readonly string[];
}

async function open(server: ApiServer, path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const { caData, certData, keyData } = server.connection();
  const asked = request(new URL(path, server.url), { ca: caData, cert: certData, key: keyData, headers });
  return await new Promise((resolve, reject) => {
    asked.on("error", reject);
    asked.on("response", ({ statusCode: code, headers: given }) => resolve({ code, headers: given, messages: [] }));
    asked.on("upgrade", ({ statusCode: code, headers: given }, socket, head) => {
      const pieces: Buffer[] = [head];
      socket.on("data", (piece: Buffer) => pieces.push(piece));
      socket.on("end", () => {
        const { messages } = readMessages(Buffer.concat(pieces));
        expect(messages.at(-1)).toMatchObject({ opcode: closing, payload: Buffer.from([0x03, 0xe8]) }); // 1000: all is well
        const said = messages.slice(0, -1).map(({ payload }) => payload.toString("utf8"));
        resolve({ code, headers: given, messages: said });
      });
    });
    asked.end();
  });
}

const watching = "/api/v1/namespaces?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Ddefault";

describe("a watch over a WebSocket", () => {
  it("sends an event a message and ends with the watch, as kube-apiserver does", async () => {
    const server = await ApiServer.start();
    const { code, headers, messages } = await open(server, watching, { ...wanted, Origin: "https://example.com" });
    await server.stop();
    expect(code).toBe(101);
    expect(headers["sec-websocket-accept"]).toBe("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    expect(messages.map((message) => JSON.parse(message).type)).toEqual(["ADDED"]);
  });

  it("is refused to who does not say where from, or speaks another version", async () => {
    const server = await ApiServer.start();
    const nowhere = await open(server, watching, wanted);
    const older = await open(server, watching, { ...wanted, Origin: "https://a", "Sec-WebSocket-Version": "8" });
    await server.stop();
    expect([nowhere.code, older.code]).toEqual([403, 400]);
  });

  it("is agreed to with the protocol asked for; whatever else asks for an upgrade is answered as plain HTTP", async () => {
    const server = await ApiServer.start();
    const from = { ...wanted, Origin: "https://a" };
    const watched = await open(server, watching, { ...from, "Sec-WebSocket-Protocol": "v4.channel.k8s.io" });
    const read = await open(server, "/api/v1/namespaces/default", from);
    await server.stop();
    expect(watched.headers["sec-websocket-protocol"]).toBe("v4.channel.k8s.io");
    expect([read.code, read.headers.connection]).toEqual([200, "close"]);
  });

  it("ends with a client that sends what no client has to say", async () => {
    const server = await ApiServer.start();
    const { caData, certData, keyData } = server.connection();
    const path = "/api/v1/namespaces?watch=true";
    const headers = { ...wanted, Origin: "https://a" };
    const asked = request(new URL(path, server.url), { ca: caData, cert: certData, key: keyData, headers }).end();
    const ended = await new Promise<boolean>((resolve) => {
      asked.on("upgrade", (_answer, socket) => {
        socket.on("error", () => {}).on("close", () => resolve(true));
        const endless = Buffer.alloc(14);
        endless.writeUInt16BE(0x82ff);
        endless.writeBigUInt64BE(1n << 40n, 2);
        socket.write(Buffer.concat([endless, Buffer.alloc(200_000)]));
      });
    });
    await server.stop();
    expect(ended).toBe(true);
  });
});
