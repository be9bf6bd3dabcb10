import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { expect, it, vi } from "vitest";
import { Front, responseTo } from "./testing/front.ts";

const exec = "/apis/g.io/v1/namespaces/n/things/one/exec";
const wish = { connection: "keep-alive, Upgrade", upgrade: "echo" };
const changed =
  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo/2\r\nX-A: 1\r\nX-A: 2\r\n\r\n";

/** A client and an extension server with an upgraded connection. */
async function joined(front: Front) {
  const sent = front.send("GET", exec, wish);
  const upgraded = new Promise<[IncomingMessage, Duplex, Buffer]>((resolve, reject) => {
    sent.on("upgrade", (...all) => resolve(all)).on("error", reject);
  });
  sent.end();
  const [answer, socket, head] = await upgraded;
  const received = { text: head.toString() };
  socket.on("error", () => {}).on("data", (chunk: Buffer) => (received.text += chunk.toString()));
  return { answer, socket, received, closed: new Promise<void>((resolve) => socket.on("close", () => resolve())) };
}

const echoing = () => {
  const ends: Duplex[] = [];
  const front = Front.start(
    () => {},
    (_, socket) => {
      ends.push(socket);
      socket.write(`${changed}hello `);
      socket.pipe(socket);
    },
  );
  return front.then((started) => ({ ends, started }));
};

it("joins a connection in both directions, with data that arrived with the answer", async () => {
  const { started } = await echoing();
  await using front = started;
  const { answer, socket, received } = await joined(front);
  expect(answer).toMatchObject({
    statusCode: 101,
    headers: { connection: "Upgrade", upgrade: "echo/2", "x-a": "1, 2" },
  });
  expect(front.seen[0]?.headers).toMatchObject({ connection: "Upgrade", upgrade: "echo", "x-remote-user": "jane" });
  expect([front.started, front.taken]).toEqual([1, [101]]);
  socket.write("and back");
  await vi.waitFor(() => expect(received.text).toBe("hello and back"));
});

it.each<[string, (front: Front, socket: Duplex, end: Duplex | undefined) => void]>([
  ["the client", (_, socket) => socket.destroy()],
  ["the extension server", (_front, _socket, end) => end?.destroy()],
  ["this server", (front) => front.stopping.abort()],
])("closes both connections on %s", async (_, end) => {
  const { started, ends } = await echoing();
  await using front = started;
  const { socket, received, closed } = await joined(front);
  await vi.waitFor(() => expect(received.text).toBe("hello "));
  const other = new Promise<void>((resolve) => ends[0]?.on("close", () => resolve()));
  end(front, socket, ends[0]);
  await Promise.all([closed, other]);
});

it.each([
  [403, 403, "no"],
  [400, 400, "no"],
  [399, 503, "invalid upgrade response: status code 399\n"],
  [200, 503, "invalid upgrade response: status code 200\n"],
])("forwards a rejection of %i as %i", async (code, expected, text) => {
  await using front = await Front.start(
    () => {},
    (_, socket) => socket.end(`HTTP/1.1 ${code} X\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno`),
  );
  const sent = front.send("GET", exec, wish);
  const answered = responseTo(sent);
  sent.end();
  expect(await answered).toMatchObject({ code: expected, text });
});

it("sends no body length with an upgrade request, or the next request would be read as the body", async () => {
  await using front = await Front.start(
    () => {},
    (_, socket) => socket.end("HTTP/1.1 403 X\r\nContent-Length: 0\r\n\r\n"),
  );
  expect((await front.ask("GET", exec, { ...wish, "content-length": 4 }, "body")).code).toBe(403);
  expect(front.seen[0]?.headers).not.toHaveProperty("content-length");
});

it("requests no upgrade if the connection cannot be handed over", async () => {
  await using front = await Front.start((_, response) => response.end("plain"));
  front.before = (request) => Object.assign(request.response, { takeOver: undefined });
  const sent = front.send("GET", exec, wish);
  const answered = responseTo(sent);
  sent.end();
  expect(await answered).toMatchObject({ code: 200, text: "plain" });
  expect(front.seen[0]?.headers).not.toHaveProperty("upgrade");
});
