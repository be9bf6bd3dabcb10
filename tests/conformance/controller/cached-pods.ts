import { type Kind, type KubeObject, unstructured } from "@kubewright/apimachinery";
import { InformerCache } from "@kubewright/cache";
import { FakeListWatchClient } from "@kubewright/cache/testing";
import { FakeClock } from "@kubewright/clock/testing";
import type { AddOptions, Request, Source, SourceContext } from "@kubewright/controller";
import { silentLogger } from "@kubewright/log";
import { noServer } from "./running-controller.ts";

export const Pod: Kind = unstructured({ apiVersion: "v1", kind: "Pod" });

export const pod = (name: string, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "web", ...metadata },
});

/** Starts a cache of an in-memory server. */
export function cachedPods(...names: string[]) {
  const clock = new FakeClock();
  const server = new FakeListWatchClient();
  const pods = server.source(Pod);
  for (const name of names) pods.add(pod(name));
  const cache = new InformerCache({ client: server, clock, logger: silentLogger });
  const stop = new AbortController();
  const running = cache.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { clock, pods, cache, end };
}

/** Runs a source on its own, and returns the queued requests. */
export function runningSource(source: Source, clock: FakeClock = new FakeClock()) {
  const stop = new AbortController();
  const queued: [Request, AddOptions | undefined][] = [];
  const queue: SourceContext["queue"] = { add: (request, options) => void queued.push([request, options]) };
  let hasSynced = false;
  const synced = (): void => {
    hasSynced = true;
  };
  const context: SourceContext = { queue, client: noServer(), log: silentLogger, clock, synced };
  const ended = source.run(context, stop.signal);
  ended.catch(() => {}); // tests that expect it check it
  const end = async (): Promise<void> => {
    stop.abort();
    await ended;
  };
  return { clock, queued, queue, stop, ended, end, hasSynced: () => hasSynced };
}
