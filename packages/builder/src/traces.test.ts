import { Client } from "@kubewright/client";
import { ConfigMap, Secret } from "@kubewright/client/kinds";
import { asReconciler } from "@kubewright/controller";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { recordSpans } from "@kubewright/tracing/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { controllerManagedBy } from "./controller-builder.ts";

let env: Environment;
let client: Client;
beforeAll(async () => {
  env = await Environment.start();
  client = new Client({ connection: env.connection() });
});
afterAll(async () => {
  await client.close();
  await env.stop();
});

it("shows which controller's write made another reconcile", async () => {
  using recording = recordSpans();
  const manager = new Manager({ connection: env.connection(), metrics: { bindAddress: "0" }, logger: silentLogger });
  const seen = Promise.withResolvers<void>();
  controllerManagedBy(manager)
    .named("writer")
    .for(ConfigMap)
    .complete(
      asReconciler(ConfigMap, async (source, context) => {
        if (source.metadata.name !== "source") return;
        await context.client.create(Secret, {
          metadata: { name: "made", namespace: "default" },
          stringData: { password: "hunter2" },
        });
      }),
    );
  controllerManagedBy(manager)
    .named("reader")
    .for(Secret)
    .complete(
      asReconciler(Secret, async (secret) => {
        if (secret.metadata.name !== "made") return;
        await client.get(Secret, "default/made"); // the response to the write has arrived by then
        seen.resolve();
      }),
    );
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  try {
    await client.create(ConfigMap, { metadata: { name: "source", namespace: "default" } });
    await seen.promise;
  } finally {
    stop.abort();
    await running;
  }

  const of = (controller: string, name: string) =>
    recording
      .named("reconcile")
      .find(
        ({ attributes }) =>
          attributes["kubewright.controller"] === controller && attributes["kubewright.object.name"] === name,
      );
  const [writer, reader] = [of("writer", "source"), of("reader", "made")];
  const written = recording.spans.find(
    ({ name, parentSpanId }) => name === "client create Secret" && parentSpanId === writer?.spanContext().spanId,
  );
  expect(written?.attributes).toMatchObject({ "http.response.status_code": 201 });
  expect(reader?.links).toEqual([
    {
      context: written?.spanContext(),
      attributes: expect.objectContaining({
        "kubewright.cause.source": "Secret",
        "kubewright.cause.key": "default/made",
      }),
    },
  ]);
  expect(recording.spans.every(({ hasEnded }) => hasEnded)).toBe(true);
  expect(JSON.stringify(recording.spans)).not.toMatch(/hunter2|aHVudGVyMg/);
});
