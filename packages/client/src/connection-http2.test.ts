import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { expect, it } from "vitest";
import { Connection } from "./connection.ts";
import { StubHttp2 } from "./testing/stub-http2.ts";

it("tells the server of watches given up at any step before their answer", async () => {
  await using api: StubHttp2 = await StubHttp2.start((stream) => {
    if (api.requests === 1) stream.respond({ ":status": 200 }, { endStream: true });
  });
  await using connection = new Connection({ server: api.url, insecureSkipTlsVerify: true });
  await connection.request({ path: "/version" });
  const enough = new Error("enough");

  for (let steps = 0; steps < 20; steps++) {
    const aborter = new AbortController();
    const watch = connection.stream({ path: "/watch", signal: aborter.signal });
    for (let step = 0; step < steps; step++) await null;
    aborter.abort(enough);
    await expect(watch).rejects.toBe(enough);
  }

  await expect.poll(() => api.requests).toBeGreaterThan(10);
  await expect.poll(() => api.streams.size).toBe(0);
});

it("ends with close what is still being connected", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const connection = new Connection({ server: `https://127.0.0.1:${port}` });

  const refused = expect(connection.request({ path: "/", method: "POST" })).rejects.toThrow("The client is destroyed");
  const [socket] = (await once(silent, "connection")) as [Socket];
  const ended = once(socket.on("error", () => {}).resume(), "close");
  await connection.close();

  await refused;
  await ended;
  silent.close();
});
