import { hostname } from "node:os";
import {
  type Client,
  Elector,
  InformerFactory,
  keyOf,
  LeaseLock,
  RateLimitingQueue,
} from "kubewright";
import { ConfigMap, Pod } from "kubewright/kinds";

// #region read
/**
 * Lists the running pods. Each call sends a request to the server, which
 * filters the pods by `fields`. To filter by labels, use `labels`.
 */
export const runningPods = async (
  client: Client,
  namespace: string,
): Promise<string[]> =>
  (
    await client.list(Pod, { namespace, fields: { "status.phase": "Running" } })
  ).map(keyOf);

/**
 * Prints existing objects and each change, until the signal aborts. Throws an
 * error if the watch breaks.
 */
export async function follow(
  client: Client,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for await (const event of client.watch(ConfigMap, {
    namespace: "default",
    signal,
  }))
    if (event.type !== "BOOKMARK")
      print(`${event.type} ${keyOf(event.object)}`);
}
// #endregion read

// #region informer
/**
 * Keeps an up-to-date copy, even if watches break, and handles changes through
 * a queue.
 */
export async function work(
  client: Client,
  handle: (key: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const queue = new RateLimitingQueue<string>();
  const informers = new InformerFactory(client);
  const configMaps = informers.for(ConfigMap, { namespace: "default" });
  configMaps.addHandler({
    added: (configMap) => queue.add(keyOf(configMap)),
    updated: (_, configMap) => queue.add(keyOf(configMap)),
    deleted: (configMap) => queue.add(keyOf(configMap)),
  });
  await informers.start(signal);
  await informers.synced(signal);
  for await (const key of queue.items(signal)) {
    try {
      await handle(key);
      queue.forget(key);
    } catch {
      queue.addRateLimited(key); // again, after a growing delay
    } finally {
      queue.done(key);
    }
  }
}
// #endregion informer

// #region leader
/**
 * Runs the work only in the one of several processes that holds the Lease.
 * Throws an error when the Lease is lost; the process must then exit.
 */
export async function lead(
  client: Client,
  run: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const lock = new LeaseLock({
    client,
    namespace: "default",
    name: "library",
    identity: `${hostname()}-${process.pid}`,
  });
  const elector = new Elector({ lock, releaseOnCancel: true });
  const { promise: goOn, resolve } = Promise.withResolvers<void>();
  elector.events.on("elected", resolve);
  signal.addEventListener("abort", () => resolve(), { once: true });
  const end = new AbortController();
  const ended = elector.run(end.signal);
  try {
    await Promise.race([goOn, ended]);
    if (elector.leads) await run(AbortSignal.any([signal, elector.leadership]));
  } finally {
    end.abort(); // after the work: releases the Lease
    await ended;
  }
}
// #endregion leader
