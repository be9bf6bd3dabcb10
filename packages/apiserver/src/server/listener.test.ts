import { once } from "node:events";
import { connect } from "node:net";
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

it("answers what is no HTTP as Go's server does, and hangs up", async () => {
  expect(await answerTo("GET /api HTTP/9.9\r\n\r\n")).toBe(
    `HTTP/1.1 400 Bad Request\r\n${headers}\r\n\r\n400 Bad Request`,
  );
  expect(await answerTo("\u0016\u0003garbage")).toContain("400 Bad Request");
});

it("takes a request line of hundreds of kilobytes, and refuses one of more than a megabyte", async () => {
  const request = (bytes: number): string =>
    `GET /${"x".repeat(bytes)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  expect(await answerTo(request(500_000))).toMatch(/^HTTP\/1.1 200 OK/);
  expect(await answerTo(request(1_200_000))).toMatch(/^HTTP\/1.1 431 Request Header Fields Too Large\r\n/);
});
