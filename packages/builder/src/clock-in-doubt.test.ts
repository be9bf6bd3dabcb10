import { Client } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { asReconciler } from "@kubewright/controller";
import { Environment } from "@kubewright/envtest";
import { createLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { expect, it, vi } from "vitest";
import { controllerManagedBy } from "./controller-builder.ts";

it("retries a reconcile whose write was refused because the wall clock was set, and remains the leader", async () => {
  await using env = await Environment.start();
  let aheadMs = 0;
  const { clock: real } = new Manager({ connection: env.connection() });
  const clock = { ...real, now: () => real.now() + aheadMs };
  const lines: { msg: string; err?: { type: string; message: string } }[] = [];
  const logger = createLogger({ level: "warn", destination: { write: (line) => lines.push(JSON.parse(line)) } });
  const manager = new Manager({
    connection: env.connection(),
    metrics: { bindAddress: "0" },
    leaderElection: { id: "sites", namespace: "default", identity: "a" },
    logger,
    clock,
  });
  let tries = 0;
  controllerManagedBy(manager)
    .for(ConfigMap, { predicates: [({ object }) => object.metadata.name === "web"] })
    .complete(
      asReconciler(ConfigMap, async (configMap, { client }) => {
        if (tries++ === 0) aheadMs = 3_600_000;
        await client.patch(ConfigMap, configMap, { data: { seen: "yes" } });
      }),
    );
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await using client = new Client({ connection: env.connection() });
  await client.create(ConfigMap, { metadata: { name: "web", namespace: "default" } });

  await vi.waitFor(async () => expect((await client.get(ConfigMap, "default/web")).data).toEqual({ seen: "yes" }), {
    timeout: 10_000,
  });
  expect(tries).toBeGreaterThan(1);
  expect(lines.filter(({ msg }) => msg !== "reconciler error")).toEqual([]);
  expect(lines[0]?.err).toMatchObject({
    type: "NotLeadingError",
    message: expect.stringContaining("patch ConfigMap default/web: not sent: a does not lead"),
  });
  expect(await manager.metrics.metrics()).toContain(
    'controller_runtime_terminal_reconcile_errors_total{controller="configmap"} 0',
  );
  stop.abort();
  await expect(running).resolves.toBeUndefined();
});
