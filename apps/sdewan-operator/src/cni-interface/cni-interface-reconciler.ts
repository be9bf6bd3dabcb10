import { type DeepReadonly, ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { ReconcileContext, Request, Result } from "@kubewright/controller";
import { CniInterface } from "../api/cni-interface.ts";
import type { InterfaceStatus } from "../api/status.ts";
import { interfaceNamePattern } from "../api/values.ts";
import type { CnfApi, CnfInterface } from "../cnf/cnf-api.ts";
import { messageOf } from "../cnf/cnf-error.ts";
import { type CnfScope, everyNamespace } from "../cnf/cnf-scope.ts";
import type { SessionPool } from "../cnf/session-pool.ts";
import { masked } from "../rules/mask.ts";
import { type Action, actionOf, objectionTo } from "./objection.ts";
import { selectedPods } from "./selection.ts";

export interface CniInterfaceReconcilerOptions {
  readonly pool: SessionPool;
  /** How often the status is refreshed. */
  readonly checkIntervalMs: number;
  /** Which CNFs may be switched. Default: any. */
  readonly scope?: CnfScope;
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
      log.warn({ reason: masked(messageOf(error), []) }, "the CNF does not show its interfaces");
      return {};
    });
    const patch = statusPatch(object.status ?? {}, statusOf(seen));
    // Deleted meanwhile: there is nothing left to have a status.
    if (patch) await client.status.patch(CniInterface, keyOf(object), patch).catch(ignoreNotFound);
    return { requeueAfterMs: this.#options.checkIntervalMs };
  };

  async #look(object: DeepReadonly<CniInterface>, reader: Reader): Promise<Sight> {
    const { name = "" } = object.spec ?? {};
    if (!isInterfaceName(name)) return { message: "spec.name: not the name of a network interface" };
    const { namespace } = object.metadata;
    const { scope = everyNamespace } = this.#options;
    if (!scope.allows(namespace, namespace)) return { message: scope.reason };
    const action = actionOf(object);
    for (const pod of await selectedPods(object, reader)) {
      const api = await this.#options.pool.apiOf(pod);
      const seen = await interfaceIn(api, name);
      if (!action) {
        if (seen) return { seen };
      } else if (seen?.status?.toLowerCase() === action) return { seen };
      // A CNF that lists only what is up may still have the interface.
      else if (seen || action === "up") {
        const message = await objectionTo(action, object, pod, seen, reader);
        return message === undefined ? { seen: await switched(api, name, action) } : { seen, message };
      }
    }
    return {};
  }
}

/** What there is to see, and why it is not as wanted. */
interface Sight {
  readonly seen?: CnfInterface | undefined;
  readonly message?: string;
}

async function switched(api: CnfApi, name: string, action: Action): Promise<CnfInterface | undefined> {
  await api.setInterface(name, action);
  return interfaceIn(api, name);
}

const interfaceIn = async (api: CnfApi, name: string): Promise<CnfInterface | undefined> =>
  (await api.interfaces()).find((each) => each.name === name);

/** The definition says the same, unless it is an older one. */
const isInterfaceName = (name: string): boolean => new RegExp(interfaceNamePattern).test(name);

function statusOf({ seen, message }: Sight): InterfaceStatus {
  const reason = message === undefined ? {} : { message };
  if (!seen) return { ...unavailable, ...reason };
  const { status, mac_address, ip_address, received_packets, send_packets } = seen;
  return {
    status: status ?? "Not Available",
    ...(mac_address === undefined ? {} : { mac_address }),
    ...(ip_address === undefined ? {} : { ip_address: [...ip_address] }),
    ...(received_packets === undefined ? {} : { received_packets }),
    ...(send_packets === undefined ? {} : { send_packets }),
    ...reason,
  };
}

/** What differs, with `null` for what shall go; nothing if nothing does. */
function statusPatch(
  current: DeepReadonly<InterfaceStatus>,
  next: InterfaceStatus,
): { [F in keyof InterfaceStatus]?: InterfaceStatus[F] | null } | undefined {
  const fields = ["status", "mac_address", "ip_address", "received_packets", "send_packets", "message"] as const;
  const changed = fields.filter((field) => JSON.stringify(current[field]) !== JSON.stringify(next[field]));
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map((field) => [field, next[field] ?? null]));
}
