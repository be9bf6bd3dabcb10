import type { KubeObject } from "@kubewright/apimachinery";
import { Deployment, Pod, ReplicaSet } from "@kubewright/client/kinds";
import { untilAborted } from "@kubewright/clock";
import { type Manager, ping, type Runnable } from "@kubewright/manager";
import { SecretMetadata } from "../cnf/secret-cache.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { type DefinedKind, Definitions, type DefinitionsOptions, nameOf as definitionName } from "./definitions.ts";

const coreKinds = [Deployment, ReplicaSet, Pod, SecretMetadata];

/**
 * Functions that start the controllers of a kind, keyed by kind. If a function returns a promise, the operator awaits
 * it during shutdown.
 */
export type Starters = ReadonlyMap<DefinedKind, () => void | Promise<void>>;

/** Tracks which of the operator's kinds are served by a manager's cluster. A metric shows the missing kinds. */
export function definitionsOf(manager: Manager, options: Pick<DefinitionsOptions, "intervalMs" | "clock" | "logger">) {
  const { discovery } = manager.apiReader;
  const served = async (): Promise<ReadonlySet<string>> => {
    discovery.invalidate();
    const resources = await discovery.resources();
    return new Set(resources.map(({ gvr }) => `${gvr.group}/${gvr.version} ${gvr.resource}`));
  };
  const definitions = new Definitions({ kinds: apiKinds, served, ...options });
  manager.metrics.gauge({
    name: "sdewan_definition_missing",
    help: "1 while the cluster does not serve this kind, so that its resources are not reconciled; otherwise 0",
    labelNames: ["definition"],
    collect: (of) => {
      for (const kind of apiKinds) of(definitionName(kind)).set(Number(definitions.isMissing(kind)));
    },
  });
  return definitions;
}

/**
 * Starts a kind's controllers, and its watch in every replica, once the cluster serves the kind. Kinds do not wait for
 * each other.
 */
export function onceServed(manager: Manager, definitions: Definitions, starters: Starters): Runnable {
  return {
    group: "others",
    run: async (signal, stopping = signal) => {
      const stopped = untilAborted(AbortSignal.any([signal, stopping]));
      for (const kind of coreKinds) manager.cache.getInformer<KubeObject>(kind);
      const start = async (kind: DefinedKind): Promise<void> => {
        await definitions.served(kind);
        if (signal.aborted || stopping.aborted) return;
        manager.cache.getInformer(kind);
        await starters.get(kind)?.();
      };
      await Promise.race([Promise.all(apiKinds.map(start)), stopped]);
    },
  };
}

/**
 * Adds the readiness checks. A replica is ready when its webhooks and their caches are. Kinds that are not served yet
 * are listed with `?verbose`, but do not affect readiness, because the other kinds work in the meantime.
 */
export function addChecks(manager: Manager, definitions: Definitions): void {
  manager.addHealthCheck("ping", ping);
  manager.addReadyCheck("ping", ping);
  const synced = (kind: DefinedKind): string | undefined =>
    manager.cache.getInformer(kind).hasSynced ? undefined : "its cache has not synced yet";
  const noted = { showsReason: true };
  for (const kind of apiKinds)
    manager.addReadyCheck(definitionName(kind), () => definitions.note(kind) ?? synced(kind), noted);
  for (const kind of coreKinds) {
    const name = [kind.plural ?? kind.kind, kind.group].filter(Boolean).join(".");
    manager.addReadyCheck(`cache-${name}`, () => synced(kind), noted);
  }
}
