import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { respond } from "./responses.ts";

it("disconnects a client that does not read a large response, but not one that does", async () => {
  const timeouts: number[] = [];
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const isRead = request.url === "/read";
    const own = response.setTimeout.bind(response);
    response.setTimeout = (ms, onTimeout) => {
      timeouts.push(ms ?? 0);
      return own(isRead ? ms : 50, onTimeout); // simulates the timeout
    };
    if (!isRead) response.once("close", resolve);
    respond(response, 200, "text/plain", Buffer.alloc(32 * 1024 * 1024));
  });
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  socket.pause();
  socket.on("error", () => {}); // the connection is closed
  onTestFinished(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  await closed;
  const whole = await fetch(`http://127.0.0.1:${port}/read`).then((one) => one.arrayBuffer());
  expect([whole.byteLength, timeouts]).toEqual([32 * 1024 * 1024, [30_000, 30_000]]);
});
