import { keyOf, setControllerReference } from "@kubewright/apimachinery";
import { Client, createOrUpdate } from "@kubewright/client";
import { ConfigMap, Secret } from "@kubewright/client/kinds";
import { asReconciler, labelSelectorMatches } from "@kubewright/controller";
import { Environment } from "@kubewright/envtest";
import { Manager } from "@kubewright/manager";
import { expect, it, vi } from "vitest";
import { controllerManagedBy } from "./index.ts";

it("works as the README shows", async () => {
  await using env = await Environment.start();
  const manager = new Manager({ connection: env.connection(), metrics: { bindAddress: "0" } });

  controllerManagedBy(manager)
    .for(ConfigMap, { predicates: [labelSelectorMatches({ matchLabels: { mirror: "yes" } })] })
    .owns(Secret)
    .withOptions({ maxConcurrentReconciles: 2 })
    .complete(
      asReconciler(ConfigMap, async (configMap, { client }) => {
        await createOrUpdate(client, Secret, keyOf(configMap), (draft) => {
          draft.stringData = { ...configMap.data };
          setControllerReference(configMap, draft);
        });
      }),
    );

  const stop = new AbortController();
  const running = manager.run(stop.signal);
  const client = new Client({ connection: env.connection() });
  const metadata = { name: "shop", namespace: "default", labels: { mirror: "yes" } };
  await client.create(ConfigMap, { metadata, data: { apples: "3" } });
  await vi.waitFor(async () => expect((await client.get(Secret, "default/shop")).data).toEqual({ apples: "Mw==" }), {
    timeout: 10_000,
  });
  stop.abort();
  await running;
  await client.close();
});
