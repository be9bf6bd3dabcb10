import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { CertificateAuthority } from "@kubewright/certificates";
import { expect, it } from "vitest";
import { Listener } from "./listener.ts";

async function answerTo(sent: string): Promise<string> {
  const listener = new Listener({
    tls: undefined,
    http2: false,
    handle: async ({ url = "" }, response) => void response.writeHead(200).end(String(url.length)),
    refuses: () => false,
    requestTimeoutMs: 60_000,
  });
  const socket = connect(await listener.listen("127.0.0.1", 0), "127.0.0.1");
  try {
    let answer = "";
    socket.on("data", (chunk) => {
      answer += String(chunk);
    });
    socket.write(sent);
    await once(socket, "close");
    return answer;
  } finally {
    socket.destroy();
    await listener.close();
  }
}

const headers = "Content-Type: text/plain; charset=utf-8\r\nConnection: close";

it("answers invalid HTTP like Go's server, and closes the connection", async () => {
  expect(await answerTo("GET /api HTTP/9.9\r\n\r\n")).toBe(
    `HTTP/1.1 400 Bad Request\r\n${headers}\r\n\r\n400 Bad Request`,
  );
  expect(await answerTo("\u0016\u0003garbage")).toContain("400 Bad Request");
});

it("accepts a request line of hundreds of kilobytes, and rejects one of more than a megabyte", async () => {
  const request = (bytes: number): string =>
    `GET /${"x".repeat(bytes)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  expect(await answerTo(request(500_000))).toMatch(/^HTTP\/1.1 200 OK/);
  expect(await answerTo(request(1_200_000))).toMatch(/^HTTP\/1.1 431 Request Header Fields Too Large\r\n/);
});

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/** HTTP/2 frames: settings with the largest window, the same for the connection, and GET / on stream 1. */
const wideWindow = Buffer.from("0000060400000000000004" + "7fffffff" + "000004080000000000" + "7fff0000", "hex");
const getRoot = Buffer.from("000006010500000001" + "828487" + "410178", "hex");

it("detects after a time that an HTTP/2 client disappeared during a write", async () => {
  const { certificate, key } = new CertificateAuthority("ca").issueServer("server", ["127.0.0.1"]);
  const writing = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const listener = new Listener({
    tls: { certificate, key, clientCas: [] },
    http2: true,
    handle: async (_, response) => {
      response.on("close", () => closed.resolve());
      const more = (): void => void response.write(Buffer.alloc(1024 * 1024));
      response.on("drain", more);
      more();
      writing.resolve();
    },
    refuses: () => false,
    requestTimeoutMs: 60_000,
    idleMs: 300,
  });
  const port = await listener.listen("127.0.0.1", 0);
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["h2"] });
  await once(socket, "secureConnect");
  socket.pause().write(Buffer.concat([Buffer.from(preface), wideWindow, getRoot]));
  await writing.promise;
  socket.destroy();
  await closed.promise;
  await listener[Symbol.asyncDispose]();
});

it.each([true, false])(
  "answers each of many requests that arrive at once over TLS, HTTP/2 offered: %s",
  async (http2) => {
    const { certificate, key } = new CertificateAuthority("ca").issueServer("server", ["127.0.0.1"]);
    const listener = new Listener({
      tls: { certificate, key, clientCas: [] },
      http2,
      handle: async (_, response) => void response.writeHead(200, { "Content-Length": 2_000 }).end("x".repeat(2_000)),
      refuses: () => false,
      requestTimeoutMs: 60_000,
    });
    const port = await listener.listen("127.0.0.1", 0);
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] });
    await once(socket, "secureConnect");
    const heads = ["GET /api HTTP/1.1\r\nHost: x\r\n", `Pad: ${"y".repeat(60)}\r\n`, "\r\n"].join("");
    socket.write(`${heads.repeat(999)}GET /api HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    let answer = "";
    socket.on("data", (chunk) => {
      answer += String(chunk);
    });
    await once(socket, "close");
    await listener.close();
    expect(answer.split("HTTP/1.1 ").map((part) => part.slice(0, 3))).toEqual(["", ...Array(1_000).fill("200")]);
  },
);

const manyHeaders = "a:b\r\n".repeat(5_000);

it.each(["plain text", "TLS", "TLS with HTTP/2 offered"])(
  "ignores none of thousands of headers over HTTP/1.1, because the last one may name the user: %s",
  async (what) => {
    const { certificate, key } = new CertificateAuthority("ca").issueServer("server", ["127.0.0.1"]);
    const listener = new Listener({
      tls: what === "plain text" ? undefined : { certificate, key, clientCas: [] },
      http2: what === "TLS with HTTP/2 offered",
      handle: async ({ headers, rawHeaders }, response) =>
        void response.writeHead(200).end(`${rawHeaders.at(-1)} ${headers["impersonate-user"]}`),
      refuses: () => false,
      requestTimeoutMs: 60_000,
    });
    const target = { port: await listener.listen("127.0.0.1", 0), host: "127.0.0.1" };
    const socket = what === "plain text" ? connect(target) : connectTls({ ...target, rejectUnauthorized: false });
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${manyHeaders}Impersonate-User: jane\r\n\r\n`);
    let answer = "";
    socket.on("data", (chunk) => {
      answer += String(chunk);
    });
    await once(socket, "close");
    await listener.close();
    expect(answer).toContain("jane jane");
  },
);

it("accepts an HTTP/2 request with hundreds of groups", async () => {
  const { certificate, key } = new CertificateAuthority("ca").issueServer("server", ["127.0.0.1"]);
  const listener = new Listener({
    tls: { certificate, key, clientCas: [] },
    http2: true,
    handle: async ({ rawHeaders }, response) => void response.writeHead(200).end(rawHeaders.at(-1) ?? ""),
    refuses: () => false,
    requestTimeoutMs: 60_000,
  });
  const port = await listener.listen("127.0.0.1", 0);
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  const groups = Array.from({ length: 1_000 }, (_, i) => `g${i}`);
  const stream = session.request({ ":path": "/", "impersonate-group": groups });
  let answer = "";
  for await (const chunk of stream) answer += String(chunk);
  session.destroy();
  await listener.close();
  expect(answer).toBe("g999");
});
