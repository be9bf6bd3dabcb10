import type { DeepReadonly } from "@kubewright/apimachinery";
import { controllerManagedBy } from "@kubewright/builder";
import { Connection } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { channelSource, enqueueRequestForObject } from "@kubewright/controller";
import { Manager } from "@kubewright/manager";
import type { SubjectCommand, SubjectSpec, Usage } from "./spec.ts";
import { UsageMeter } from "./usage-meter.ts";

type ReconcilerSpec = SubjectSpec & { readonly role: "reconciler" };

/** Hands ConfigMaps to a channel source. */
class Channel implements AsyncIterable<DeepReadonly<ConfigMap>> {
  #objects: readonly DeepReadonly<ConfigMap>[] = [];
  #wake = (): void => {};

  send(objects: readonly DeepReadonly<ConfigMap>[]): void {
    this.#objects = objects;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<DeepReadonly<ConfigMap>, void, undefined> {
    for (;;) {
      const objects = this.#objects;
      this.#objects = [];
      yield* objects;
      if (this.#objects.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

/** Counts until a number is reached. */
class Counter {
  #left = 0;
  #resolve = (): void => {};

  next(count: number): Promise<void> {
    this.#left = count;
    return new Promise((resolve) => (this.#resolve = resolve));
  }

  count(): void {
    this.#left -= 1;
    if (this.#left === 0) this.#resolve();
  }
}

/** A manager with a controller of ConfigMaps, whose reconcile reads from the cache and, if told to, writes a merge patch. */
export async function startReconciler(
  spec: ReconcilerSpec,
): Promise<{ carryOut(command: SubjectCommand): Promise<Usage> }> {
  const connection = spec.kubeconfig
    ? Connection.fromKubeConfig(spec.kubeconfig)
    : new Connection({ server: spec.url });
  const manager = new Manager({ connection, metrics: { bindAddress: "127.0.0.1:0" } });
  const channel = new Channel();
  const counter = new Counter();
  let round = 0;
  controllerManagedBy(manager)
    .named("bench")
    .for(ConfigMap)
    .watchesSource(channelSource(channel, { handler: enqueueRequestForObject() }))
    .withOptions({ maxConcurrentReconciles: spec.workers })
    .complete(async (key, { client }) => {
      const configMap = await client.get(ConfigMap, key);
      const wanted = String(round);
      if (spec.writes && round > 0) {
        // A second reconcile, for our own write, has nothing to do.
        if (configMap.data?.round === wanted) return;
        await client.patch(ConfigMap, key, { data: { round: wanted } });
      }
      counter.count();
    });
  const first = counter.next(spec.objects);
  void manager.run(new AbortController().signal);
  const meter = new UsageMeter();
  return {
    async carryOut(command) {
      if (command.do === "sync") await first;
      if (command.do !== "reconcile") return meter.read();
      const objects = await manager.cache.list(ConfigMap);
      meter.start();
      for (let i = 0; i < command.rounds; i++) {
        round += 1;
        const done = counter.next(objects.length);
        channel.send(objects);
        await done;
      }
      return meter.read();
    },
  };
}
