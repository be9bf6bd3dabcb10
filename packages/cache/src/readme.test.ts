import { type Kind, type KubeObject, keyOf } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { allNamespaces, byObject, InformerCache, InformerFactory, isResourceNotCachedError } from "./index.ts";
import { FakeListWatchClient } from "./testing/index.ts";

interface Pod extends KubeObject {
  spec: { nodeName?: string };
}

const Pod: Kind<Pod> = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };

it("runs the README's example", async () => {
  const client = new FakeListWatchClient();
  const metadata = { name: "shop-0", namespace: "web" };
  client.source(Pod).add({ apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName: "node-1" } });
  const changed: string[] = [];
  const stop = new AbortController();
  const { signal } = stop;

  const informers = new InformerFactory(client, { resyncMs: 30_000 });
  const pods = informers.for(Pod, { indexers: { byNode: (pod) => [pod.spec.nodeName ?? ""] } });
  const registration = pods.addHandler({
    added: (pod) => void changed.push(keyOf(pod)),
    updated: (_, pod) => void changed.push(keyOf(pod)),
    deleted: (pod) => void changed.push(keyOf(pod)),
  });
  await informers.start(signal);
  await informers.synced(signal);
  const shop = pods.lister.namespace("web").get("shop-0"); // throws NotFound if it is not there
  const onNode = pods.indexer.byIndex("byNode", "node-1");

  const cache = new InformerCache({ client });
  cache.indexField(Pod, "spec.nodeName", (pod) => [pod.spec.nodeName ?? ""]);
  const running = cache.run(signal);
  const listed = await cache.list(Pod, { namespace: "web", fields: { "spec.nodeName": "node-1" } });

  await registration.synced(signal);
  stop.abort();
  await Promise.all([running, informers.stopped()]);
  expect(changed).toEqual(["web/shop-0"]);
  expect(onNode).toEqual([shop]);
  expect(listed.map(keyOf)).toEqual(["web/shop-0"]);
});

it("runs the README's example of cache settings", async () => {
  const client = new FakeListWatchClient();
  const metadata = { name: "shop-0", namespace: "web" };
  client.source(Pod).add({ apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName: "node-1" } });
  const Secret: Kind = { group: "", version: "v1", kind: "Secret", plural: "secrets", scope: "Namespaced" };
  const Service: Kind = { group: "", version: "v1", kind: "Service", plural: "services", scope: "Namespaced" };
  const cache = new InformerCache({
    client,
    labels: { "app.kubernetes.io/part-of": "shop" },
    namespaces: { web: {}, db: { resyncMs: 60_000 } },
    readerFailOnMissingInformer: true,
    kinds: [
      byObject(Secret, { fields: { type: "Opaque" } }),
      byObject(Pod, { namespaces: { web: { labels: {} }, [allNamespaces]: { fields: "status.phase=Failed" } } }),
    ],
  });
  const stop = new AbortController();
  const running = cache.run(stop.signal);
  expect((await cache.list(Pod, { namespace: "web" })).map(keyOf)).toEqual(["web/shop-0"]);
  expect(await cache.list(Secret)).toEqual([]);
  await expect(cache.list(Secret, { namespace: "other" })).rejects.toThrow('only from "web", "db"');
  await expect(cache.list(Service)).rejects.toSatisfy(isResourceNotCachedError);
  stop.abort();
  await running;
});
