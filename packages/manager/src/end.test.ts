import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, Connection } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { expect, it, onTestFinished } from "vitest";
import { startManager } from "./testing/start-manager.ts";

/** An API server that answers when the test allows it. */
async function heldApi() {
  const asked = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => asked.resolve(response));
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: asked.promise };
}

it("waits at the end for an event that is being written", async () => {
  const { url, asked } = await heldApi();
  const { manager, stop, run, outcome, clock } = startManager({ connection: { server: url } });
  await clock.advance(0);
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "ns" } };
  manager.recorderFor("x").event(pod, { reason: "Ending", action: "End", note: "ends" });
  const response = await asked;
  stop.abort();
  await sleep(50); // enough time to end
  expect(outcome()).toBe("running");
  response.writeHead(201, { "content-type": "application/json" }).end("{}");
  await run;
  expect(outcome()).toBe("stopped");
});

it("counts no requests on a connection that outlives it", async () => {
  const { url, asked } = await heldApi();
  await using connection = new Connection({ server: url });
  const client = new Client({ connection });
  const { manager, stop, run } = startManager({ connection });
  const counted = async () => (await manager.metrics.metrics()).match(/^rest_client_requests_total\{.*$/gm);
  stop.abort();
  await run;
  const got = client.get(ConfigMap, "default/a");
  (await asked).writeHead(200, { "content-type": "application/json" }).end('{"metadata":{"name":"a"}}');
  await got;
  expect(await counted()).toBeNull();
});
