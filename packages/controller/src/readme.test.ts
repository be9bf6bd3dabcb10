import { expect, it } from "vitest";
import { Controller, channelSource, enqueueRequestForObject, labelSelectorMatches } from "./index.ts";
import { fakeClient } from "./testing/fake-client.ts";

async function* deliveries() {
  const of = (name: string, fresh: string) => ({
    apiVersion: "v1",
    kind: "Crate",
    metadata: { name, namespace: "shop", labels: { fresh } },
  });
  yield of("apples", "yes");
  yield of("soup", "no");
}

it("works as the README shows", async () => {
  const client = fakeClient();
  const stop = new AbortController();
  const { signal } = stop;
  const filled: { request: string; reconcileID: string; because: string | undefined }[] = [];

  const restocks = channelSource(deliveries(), {
    handler: enqueueRequestForObject(),
    predicates: [labelSelectorMatches({ matchLabels: { fresh: "yes" } })],
  });

  const controller = new Controller({
    name: "shelf",
    client,
    sources: [restocks],
    maxConcurrentReconciles: 4,
    reconcile: async (request, { causes, reconcileID }) => {
      filled.push({ request, reconcileID, because: causes[0]?.source });
      stop.abort();
      return { requeueAfterMs: 60_000 };
    },
  });
  await controller.run(signal);
  expect(filled.map(({ request }) => request)).toEqual(["shop/apples"]);
});
