import { controllerManagedBy } from "@kubewright/builder";
import { Connection } from "@kubewright/client";
import { Deployment } from "@kubewright/client/kinds";
import { addConsole } from "@kubewright/console";
import { channelSource, enqueueRequestForObject, generationChanged } from "@kubewright/controller";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { Channel } from "./channel.ts";
import { PacedWork } from "./paced-work.ts";
import type { SubjectCommand, SubjectSpec, Usage } from "./spec.ts";
import { UsageMeter } from "./usage-meter.ts";

type ConsoleSpec = SubjectSpec & { readonly role: "console" };

/**
 * Starts a manager with a controller of Deployments, whose reconcile reads from the cache and writes the status, with or without a console.
 */
export async function startWithConsole(
  spec: ConsoleSpec,
): Promise<{ carryOut(command: SubjectCommand): Promise<Usage | { readonly url: string }> }> {
  const connection = Connection.fromKubeConfig(spec.kubeconfig);
  const manager = new Manager({ connection, logger: silentLogger, metrics: { bindAddress: "127.0.0.1:0" } });
  const channel = new Channel<Deployment>();
  const work = new PacedWork<Deployment>((objects) => channel.send(objects));
  const seen = new Set<string>();
  const synced = Promise.withResolvers<void>();
  let number = 0;
  controllerManagedBy(manager)
    .named("bench")
    .for(Deployment, { predicates: [generationChanged] })
    .watchesRawSource(channelSource(channel, { handler: enqueueRequestForObject() }))
    .withOptions({ maxConcurrentReconciles: 4 })
    .complete(async (key, { client }) => {
      const { metadata } = await client.get(Deployment, key);
      await client.status.patch(Deployment, { metadata }, { observedGeneration: ++number });
      work.done(key);
      if (seen.add(key).size === spec.objects) synced.resolve();
    });
  const view = spec.hasConsole ? addConsole(manager, { bindAddress: "127.0.0.1:0" }) : undefined;
  void manager.run(new AbortController().signal);
  const meter = new UsageMeter();
  return {
    async carryOut(command) {
      if (command.do === "sync") await synced.promise;
      if (command.do === "console") {
        await view?.ready();
        return { url: view?.newUrl() ?? "" };
      }
      if (command.do === "idle") {
        meter.start();
        await new Promise((resolve) => setTimeout(resolve, command.ms));
      }
      if (command.do === "pace") {
        const objects = await manager.cache.list(Deployment);
        meter.start();
        await work.run(objects, command);
      }
      return meter.read();
    },
  };
}
