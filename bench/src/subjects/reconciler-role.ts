import { controllerManagedBy } from "@kubewright/builder";
import { Connection } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { channelSource, enqueueRequestForObject } from "@kubewright/controller";
import { createLogger, silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { FlightRecorder } from "@kubewright/replay";
import { Channel } from "./channel.ts";
import type { SubjectCommand, SubjectSpec, Usage } from "./spec.ts";
import { UsageMeter } from "./usage-meter.ts";

type ReconcilerSpec = SubjectSpec & { readonly role: "reconciler" };

/** A round of reconciles, and the keys, each of which must be reconciled once. */
class Round {
  readonly #done = new Set<string>();
  readonly #count: number;
  #resolve = (): void => {};
  readonly complete = new Promise<void>((resolve) => {
    this.#resolve = resolve;
  });

  constructor(count: number) {
    this.#count = count;
  }

  has(key: string): boolean {
    return this.#done.has(key);
  }

  add(key: string): void {
    this.#done.add(key);
    if (this.#done.size === this.#count) this.#resolve();
  }
}

/** Starts a manager with a controller of ConfigMaps, whose reconcile reads from the cache and optionally writes a merge patch. */
export async function startReconciler(
  spec: ReconcilerSpec,
): Promise<{ carryOut(command: SubjectCommand): Promise<Usage> }> {
  const connection = spec.kubeconfig
    ? Connection.fromKubeConfig(spec.kubeconfig)
    : new Connection({ server: spec.url });
  // With a logger that is active, each reconcile that logs creates a child logger.
  const logger = spec.logs ? createLogger({ destination: { write: () => {} } }) : silentLogger;
  const manager = new Manager({ connection, logger, metrics: { bindAddress: "127.0.0.1:0" } });
  const channel = new Channel<ConfigMap>();
  let number = 0;
  let round = new Round(spec.objects);
  controllerManagedBy(manager)
    .named("bench")
    .for(ConfigMap)
    .watchesRawSource(channelSource(channel, { handler: enqueueRequestForObject() }))
    .withOptions({ maxConcurrentReconciles: spec.workers })
    .complete(async (key, { client }) => {
      await client.get(ConfigMap, key);
      const current = round;
      if (current.has(key)) return; // the second reconcile, caused by our own write
      if (spec.writes && number > 0) await client.patch(ConfigMap, key, { data: { round: String(number) } });
      current.add(key);
    });
  void manager.run(new AbortController().signal);
  const meter = new UsageMeter();
  const recorder = new FlightRecorder();
  return {
    async carryOut(command) {
      if (command.do === "sync") await round.complete;
      if (command.do !== "reconcile") return meter.read();
      const objects = await manager.cache.list(ConfigMap);
      manager.recording.recorder = command.records ? recorder : undefined;
      meter.start();
      for (let i = 0; i < command.rounds; i++) {
        number += 1;
        round = new Round(objects.length);
        channel.send(objects);
        await round.complete;
      }
      return meter.read();
    },
  };
}
