import { InformerCache } from "@kubewright/cache";
import { Client } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import { afterAll, beforeAll, describe } from "vitest";
import { onEachBed } from "./harness/beds.ts";
import { readerContract } from "./reader/contract.ts";
import { fill, Site } from "./reader/objects.ts";

onEachBed("a Reader", { crds: [Site] }, (env) => {
  let client: Client;
  let cache: InformerCache;
  let running: Promise<void>;
  const stop = new AbortController();
  beforeAll(async () => {
    client = new Client({ connection: env().connection() });
    await fill(client);
    cache = new InformerCache({ client });
    cache.indexField(Pod, "spec.nodeName", (pod) => [pod.spec.nodeName ?? ""]);
    running = cache.run(stop.signal);
  });
  afterAll(async () => {
    stop.abort();
    await running;
    await client.close();
  });

  describe("that is a Client", () => readerContract(() => client));
  describe("that is an InformerCache", () => readerContract(() => cache));
  describe("that is the live reader of a cache", () => readerContract(() => cache.liveReader(client)));
});
