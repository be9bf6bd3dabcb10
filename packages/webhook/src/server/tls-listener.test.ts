import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it } from "vitest";
import { pair, RunningServer } from "../testing/running-server.ts";
import { WebhookServer } from "./webhook-server.ts";

it("says which address it cannot listen on, and why", async () => {
  await using _ = await RunningServer.start([]);
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const server = new WebhookServer({ port, host: "127.0.0.1", certificates: pair });
  await expect(server.run(new AbortController().signal)).rejects.toThrow(
    `webhook server failed to listen on 127.0.0.1:${port}: listen EADDRINUSE`,
  );
  taken.close();
});
