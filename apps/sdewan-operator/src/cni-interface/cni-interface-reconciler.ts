import { type DeepReadonly, ignoreNotFound, isNotFound, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import type { ReconcileContext, Request, Result } from "@kubewright/controller";
import { CniInterface } from "../api/cni-interface.ts";
import type { InterfaceStatus } from "../api/status.ts";
import type { CnfApi, CnfInterface } from "../cnf/cnf-api.ts";
import { selectorOf } from "../cnf/cnf-view.ts";
import { isCurrent, isReady } from "../cnf/pod-state.ts";
import type { SessionPool } from "../cnf/session-pool.ts";
import { messageOf } from "../rules/fan-out.ts";

export interface CniInterfaceReconcilerOptions {
  readonly pool: SessionPool;
  /** How often the status is refreshed. */
  readonly checkIntervalMs: number;
}

const unavailable: InterfaceStatus = { status: "Not Available" };

/** Shows an interface of a CNF pod, and switches it to the wanted state. */
export class CniInterfaceReconciler {
  readonly #options: CniInterfaceReconcilerOptions;

  constructor(options: CniInterfaceReconcilerOptions) {
    this.#options = options;
  }

  /** For a controller. */
  readonly reconcile = async (
    request: Request,
    { client, log, signal }: Pick<ReconcileContext, "client" | "log" | "signal">,
  ): Promise<Result | undefined> => {
    const object = await client.get(CniInterface, request).catch(ignoreNotFound);
    if (!object || object.metadata.deletionTimestamp) return undefined;
    const seen = await this.#look(object, client).catch((error: unknown) => {
      signal.throwIfAborted();
      log.warn({ reason: messageOf(error) }, "the CNF does not show its interfaces");
      return undefined;
    });
    const patch = statusPatch(object.status ?? {}, statusOf(seen));
    // Deleted meanwhile: there is nothing left to have a status.
    if (patch)
      await client.status.patch(CniInterface, keyOf(object), patch).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    return { requeueAfterMs: this.#options.checkIntervalMs };
  };

  async #look(object: DeepReadonly<CniInterface>, reader: Reader): Promise<CnfInterface | undefined> {
    const { name = "", status: wanted = "" } = object.spec ?? {};
    const action = wanted.trim().toLowerCase();
    for (const pod of await selectedPods(object, reader)) {
      const api = await this.#options.pool.apiOf(pod);
      const seen = await interfaceIn(api, name);
      if (action !== "up" && action !== "down") {
        if (seen) return seen;
      } else if (seen?.status?.toLowerCase() === action) return seen;
      // A CNF that lists only what is up may still have the interface.
      else if (seen || action === "up") return switched(api, name, action);
    }
    return undefined;
  }
}

async function switched(api: CnfApi, name: string, action: "up" | "down"): Promise<CnfInterface | undefined> {
  await api.setInterface(name, action);
  return interfaceIn(api, name);
}

const interfaceIn = async (api: CnfApi, name: string): Promise<CnfInterface | undefined> =>
  (await api.interfaces()).find((each) => each.name === name);

/** Ready pods in the object's namespace, by name. An empty selector selects none. */
async function selectedPods(object: DeepReadonly<CniInterface>, reader: Reader): Promise<readonly DeepReadonly<Pod>[]> {
  const selector = object.spec?.cnfSelector;
  const empty = !Object.keys(selector?.matchLabels ?? {}).length && !selector?.matchExpressions?.length;
  if (!selector || empty) return [];
  const labels = selectorOf(selector);
  const pods = await reader.list(Pod, { namespace: object.metadata.namespace });
  return pods
    .filter((pod) => isCurrent(pod) && isReady(pod) && labels.matches(pod.metadata.labels ?? {}))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

function statusOf(seen: CnfInterface | undefined): InterfaceStatus {
  if (!seen) return unavailable;
  const { status, mac_address, ip_address, received_packets, send_packets } = seen;
  return {
    status: status ?? "Not Available",
    ...(mac_address === undefined ? {} : { mac_address }),
    ...(ip_address === undefined ? {} : { ip_address: [...ip_address] }),
    ...(received_packets === undefined ? {} : { received_packets }),
    ...(send_packets === undefined ? {} : { send_packets }),
  };
}

/** What differs, with `null` for what shall go; nothing if nothing does. */
function statusPatch(
  current: DeepReadonly<InterfaceStatus>,
  next: InterfaceStatus,
): { [F in keyof InterfaceStatus]?: InterfaceStatus[F] | null } | undefined {
  const fields = ["status", "mac_address", "ip_address", "received_packets", "send_packets"] as const;
  const changed = fields.filter((field) => JSON.stringify(current[field]) !== JSON.stringify(next[field]));
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map((field) => [field, next[field] ?? null]));
}
