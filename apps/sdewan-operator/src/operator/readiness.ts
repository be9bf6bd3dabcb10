import type { KubeObject } from "@kubewright/apimachinery";
import { Deployment, Pod, ReplicaSet } from "@kubewright/client/kinds";
import { type Manager, ping, type Runnable } from "@kubewright/manager";
import { SecretMetadata } from "../cnf/kept-secrets.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { Definitions, type DefinitionsOptions, nameOf as definitionName } from "./definitions.ts";

const coreKinds = [Deployment, ReplicaSet, Pod, SecretMetadata];

/** Which of the operator's kinds a manager's cluster serves. */
export function definitionsOf(manager: Manager, options: Pick<DefinitionsOptions, "intervalMs" | "clock" | "logger">) {
  const { discovery } = manager.apiReader;
  const served = async (): Promise<ReadonlySet<string>> => {
    discovery.invalidate();
    const resources = await discovery.resources();
    return new Set(resources.map(({ gvr }) => `${gvr.group}/${gvr.version} ${gvr.resource}`));
  };
  return new Definitions({ kinds: apiKinds, served, ...options });
}

/** Begins the work, and in every replica the watches for it, once the cluster knows all kinds that it is about. */
export function onceDefined(manager: Manager, { complete }: Definitions, work: () => void): Runnable {
  return {
    group: "others",
    run: async (signal) => {
      const stopped = new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      await Promise.race([complete, stopped]);
      if (signal.aborted) return;
      for (const kind of [...apiKinds, ...coreKinds]) manager.cache.getInformer<KubeObject>(kind);
      work();
    },
  };
}

/** Ready is who knows all there is to know; each kind has a check of its own, so that an answer names what is missing. */
export function addChecks(manager: Manager, definitions: Definitions): void {
  manager.addHealthCheck("ping", ping);
  manager.addReadyCheck("ping", ping);
  for (const kind of apiKinds) manager.addReadyCheck(definitionName(kind), () => definitions.check(kind));
  let isOpen = false;
  definitions.complete.then(() => {
    isOpen = true;
  });
  for (const kind of [...apiKinds, ...coreKinds]) {
    const name = [kind.plural ?? kind.kind, kind.group].filter(Boolean).join(".");
    manager.addReadyCheck(`cache-${name}`, () => {
      if (!isOpen || !manager.cache.getInformer<KubeObject>(kind).hasSynced)
        throw new Error(`the cache of ${name} has not synced`);
    });
  }
}
