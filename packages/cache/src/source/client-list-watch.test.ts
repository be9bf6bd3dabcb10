import { type Kind, type KubeObject, metadataOnly } from "@kubewright/apimachinery";
import { type Client, kubeList } from "@kubewright/client";
import { expect, it } from "vitest";
import { clientListWatch, type ListWatchClient } from "./client-list-watch.ts";
import type { SourceEvent } from "./lister-watcher.ts";

const Pods: Kind = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };
const pod: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "web" } };

/** A client that notes which kind it was asked for and how. */
function notingClient() {
  const calls: unknown[] = [];
  const list = async (kind: Kind, options: object) => {
    calls.push({ list: kind, ...options });
    return kubeList([pod], { resourceVersion: "7" });
  };
  const watch = async function* (kind: Kind, options: object) {
    calls.push({ watch: kind, ...options });
    yield { type: "ADDED", object: pod };
  };
  const unused = (): never => {
    throw new Error("this would bring whole objects");
  };
  const client: Record<keyof Required<Omit<ListWatchClient, "mapper">>, unknown> = {
    list,
    watch,
    listRaw: unused,
    watchRaw: unused,
    watchBatches: unused,
  };
  return { calls, client: client as Pick<Client, keyof typeof client> };
}

it("lists and watches the metadata of a kind through the client, and defers nothing", async () => {
  const { client, calls } = notingClient();
  const kind = metadataOnly(Pods);
  const source = clientListWatch(client, kind, { namespace: "web", labels: { app: "shop" } });

  expect(await source.list({ limit: 5 })).toMatchObject({ items: [pod], metadata: { resourceVersion: "7" } });
  const events: (SourceEvent<KubeObject> | readonly SourceEvent<KubeObject>[])[] = [];
  for await (const event of source.watch({ resourceVersion: "7", sendInitialEvents: false })) events.push(event);
  expect(events).toEqual([{ type: "ADDED", object: pod }]);
  expect(calls).toEqual([
    { list: kind, namespace: "web", labels: { app: "shop" }, limit: 5 },
    { watch: kind, namespace: "web", labels: { app: "shop" }, resourceVersion: "7", sendInitialEvents: false },
  ]);
  expect(source.deferring).toBeUndefined();
});
