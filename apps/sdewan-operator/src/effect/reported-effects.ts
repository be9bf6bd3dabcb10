import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { CnfModule } from "../cnf/cnf-api.ts";
import { attachedNetworks, interfaceOfNetwork } from "../cnf/networks.ts";
import { type ConditionValue, effectiveIn, ineffective, notReported, Reason } from "../reporting/conditions.ts";
import { connectionsOf } from "../reporting/ipsec-connections.ts";
import type { TunnelLog } from "../reporting/tunnel-log.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";

type CnfPod = DeepReadonly<Pod>;

/**
 * Interface states as reported by mwan3, keyed by interface name. `unclear` means that mwan3 does not track the
 * interface.
 */
export type Interfaces = ReadonlyMap<string, "online" | "unclear" | "offline">;

/** Maximum number of interfaces of a CNF that are read. */
const maxInterfaces = 256;
/** States in which mwan3 may use an interface although it does not track it. */
const untracked = new Set(["notracking", "unknown"]);
/** Reasons of effects that were determined from reports. */
const reportedReasons = [Reason.membersOffline, Reason.memberOnline, Reason.tunnelDown, Reason.tunnelsUp];
/** Maximum number of members named in a message. */
const maxNamed = 3;

/**
 * Stores CNFs' reports about their interfaces and tunnels, and derives conditions from them. CNFs report nothing else
 * that shows whether rules have an effect.
 */
export class ReportedEffects {
  readonly #interfaces = new Map<string, Interfaces>();
  /** UIDs of the pods that have reported since the program started. */
  readonly #reporting = new Set<string>();
  readonly #tunnels: Pick<TunnelLog, "find">;

  /** @param tunnels the tunnels reported by CNFs */
  constructor(tunnels: Pick<TunnelLog, "find">) {
    this.#tunnels = tunnels;
  }

  /** Records a pod's report. @returns true if the states of the pod's interfaces have changed */
  note({ metadata: { uid = "" } }: CnfPod, modules: readonly CnfModule[]): boolean {
    this.#reporting.add(uid);
    const [before, now] = [this.#interfaces.get(uid), interfacesIn(modules)];
    if (now) this.#interfaces.set(uid, now);
    else this.#interfaces.delete(uid);
    return JSON.stringify([...(before ?? [])]) !== JSON.stringify([...(now ?? [])]) || (before === undefined) !== !now;
  }

  /** Drops all pods except these. */
  keep(uids: ReadonlySet<string | undefined>): void {
    for (const uid of this.#reporting)
      if (!uids.has(uid)) {
        this.#reporting.delete(uid);
        this.#interfaces.delete(uid);
      }
  }

  /** Returns the effect of a policy. mwan3 uses a policy only while one of its interfaces is online. */
  ofPolicy(policy: DeepReadonly<RuleObject>, pods: readonly CnfPod[]): ConditionValue {
    const { spec } = policy;
    if (!this.#haveReported(pods)) return lastReported(policy);
    const members: readonly unknown[] = spec && "members" in spec && Array.isArray(spec.members) ? spec.members : [];
    const networks = members.map((member) => String(Object(member).network));
    const states = pods.map((pod) => ({ pod, members: this.#membersOn(pod, networks) }));
    for (const { pod, members } of states) {
      if (!members || members.length === 0 || members.some(({ state }) => state !== "offline")) continue;
      const names = members.slice(0, maxNamed).map(({ name }) => name);
      const more = members.length > maxNamed ? ` and ${members.length - maxNamed} more` : "";
      return ineffective(
        Reason.membersOffline,
        `None of its interfaces is online on the CNF in pod ${pod.metadata.name}: ${names.join(", ")}${more}`,
      );
    }
    const isOnline = states.every(({ members }) => members?.some(({ state }) => state === "online"));
    return isOnline && pods.length > 0 ? { status: "True", reason: Reason.memberOnline, message: "" } : notReported;
  }

  #haveReported(pods: readonly CnfPod[]): boolean {
    return pods.some(({ metadata }) => this.#reporting.has(metadata.uid ?? ""));
  }

  #membersOn({ metadata }: CnfPod, networks: readonly string[]) {
    const interfaces = this.#interfaces.get(metadata.uid ?? "");
    if (!interfaces) return undefined;
    try {
      const attached = attachedNetworks(metadata.annotations);
      return networks.map((network) => {
        const name = interfaceOfNetwork(attached, network);
        return { name, state: interfaces.get(name) ?? "offline" };
      });
    } catch {
      return undefined; // such a policy cannot be applied either
    }
  }

  /** Returns the effect of an IPsec remote. The remote has an effect if its tunnels of mode `start` are up on all pods. */
  ofRemote(remote: DeepReadonly<RuleObject>, pods: readonly CnfPod[]): ConditionValue {
    const { metadata, spec } = remote;
    if (!this.#haveReported(pods)) return lastReported(remote);
    const connections = connectionsOf(spec);
    const states = pods.flatMap((pod) =>
      connections.map(({ name, mode }) => ({
        pod,
        name,
        mode,
        state: this.#tunnels.find(pod.metadata.uid ?? "", metadata.uid ?? "", name)?.state,
      })),
    );
    const down = states.find(({ state }) => state === "down");
    if (down)
      return ineffective(
        Reason.tunnelDown,
        `The tunnel ${down.name} is down on the CNF in pod ${down.pod.metadata.name}`,
      );
    // Tunnels of other modes come up when a peer or traffic needs them.
    const needed = states.filter(({ state, mode }) => mode === "start" || state === "up");
    const areUp = needed.length > 0 && needed.every(({ state }) => state === "up");
    return areUp ? { status: "True", reason: Reason.tunnelsUp, message: "" } : notReported;
  }
}

/** Returns the effect that the status of an object contains for its current spec, for example from before a restart of this program. */
function lastReported({ metadata, status }: DeepReadonly<RuleObject>): ConditionValue {
  const last = effectiveIn(status);
  const reason = reportedReasons.find((each) => each === last?.reason);
  if (!last || reason === undefined || last.observedGeneration !== metadata.generation) return notReported;
  return { status: last.status, reason, message: last.message };
}

/**
 * Returns the interfaces in the `wan` module, which contains mwan3's response, or undefined if mwan3 did not respond.
 */
export function interfacesIn(modules: readonly CnfModule[]): Interfaces | undefined {
  const status = modules.find(({ name }) => name === "wan")?.status;
  if (typeof status !== "object" || status === null || !("interfaces" in status)) return undefined;
  const { interfaces } = status;
  if (typeof interfaces !== "object" || interfaces === null) return undefined;
  const entries = Array.isArray(interfaces) ? [] : Object.entries(interfaces).slice(0, maxInterfaces);
  return new Map(entries.map(([name, state]) => [name, stateOf(state)]));
}

function stateOf(state: unknown): "online" | "unclear" | "offline" {
  const fields: Readonly<Record<string, unknown>> = { ...(typeof state === "object" ? state : {}) };
  if (fields.status === "online") return "online";
  return typeof fields.status !== "string" || untracked.has(fields.status) ? "unclear" : "offline";
}
