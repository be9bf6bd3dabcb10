import { once } from "node:events";
import { connect } from "node:http2";
import { createServer } from "node:net";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { authority, pair, RunningServer } from "../testing/running-server.ts";
import { WebhookServer } from "./webhook-server.ts";

it("says which address it cannot listen on, and why", async () => {
  await using _ = await RunningServer.start([]);
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const server = new WebhookServer({ port, host: "127.0.0.1", certificates: pair });
  await expect(server.run(new AbortController().signal)).rejects.toThrow(
    `webhook server failed to listen on 127.0.0.1:${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}: end the process that has it, or give another port by --webhook-port (webhooks.port)`,
  );
  taken.close();
});

it("ends a connection of HTTP/2 that has rested for 90 seconds, and none before", async () => {
  const clock = new FakeClock();
  await using running = await RunningServer.start([], { clock });
  const client = connect(`https://localhost:${running.server.port}`, { ca: authority.certificate });
  const ping = (): Promise<void> => new Promise((resolve) => void client.ping(() => resolve()));
  let ended = false;
  client.once("close", () => {
    ended = true;
  });
  await ping();
  await clock.advance(80_000);
  await ping();
  await clock.advance(80_000);
  await ping();
  expect(ended).toBe(false);
  const closed = once(client, "close");
  await clock.advance(120_000);
  await closed;
});
