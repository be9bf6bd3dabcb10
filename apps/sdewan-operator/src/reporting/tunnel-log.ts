import type { IpsecConnection } from "./ipsec-connections.ts";
import type { Tunnels } from "./tunnels.ts";

/**
 * The state of a tunnel on a pod. `waits` means that the tunnel is down but need not be up. `unclear` means that fewer
 * tunnels are up than required, and it is unknown whether this one is.
 */
export interface TunnelState {
  readonly state: "up" | "down" | "waits" | "unclear";
  /** Time of the last change, in milliseconds since 1970. */
  readonly sinceMs: number;
}

/** A resource's tunnels on a pod. */
export interface LoggedRemote {
  /** The uid of the resource. */
  readonly uid: string;
  readonly connections: readonly IpsecConnection[];
}

/**
 * Stores the last reported state of each tunnel on the existing CNF pods, and the time when this state last changed.
 */
export class TunnelLog {
  readonly #states = new Map<string, ReadonlyMap<string, TunnelState>>();

  /**
   * Records the tunnels reported by a pod.
   *
   * @param required number of tunnels that must be up. If that many tunnels are up, these are assumed to include all required tunnels
   */
  note(pod: string, remotes: readonly LoggedRemote[], tunnels: Tunnels, required: number, nowMs: number): void {
    const before = this.#states.get(pod);
    const now = new Map<string, TunnelState>();
    for (const { uid, connections } of remotes)
      for (const connection of connections) {
        const id = idOf(uid, connection.name);
        const state = stateOf(connection, tunnels, required);
        const known = before?.get(id);
        now.set(id, known?.state === state ? known : { state, sinceMs: nowMs });
      }
    this.#states.set(pod, now);
  }

  /** Returns the state of a tunnel, or undefined if the CNF has not reported the tunnel yet. */
  find(pod: string, remote: string, connection: string): TunnelState | undefined {
    return this.#states.get(pod)?.get(idOf(remote, connection));
  }

  /** Drops all pods except these. */
  keep(uids: ReadonlySet<string | undefined>): void {
    for (const uid of this.#states.keys()) if (!uids.has(uid)) this.#states.delete(uid);
  }
}

function stateOf(connection: IpsecConnection, { up, selectors }: Tunnels, required: number): TunnelState["state"] {
  if (isAmong(selectors, connection)) return "up";
  if (connection.mode !== "start") return "waits";
  if (up >= required) return "up";
  return up > 0 && !(connection.localSubnet && connection.remoteSubnet) ? "unclear" : "down";
}

/**
 * Reports whether a CNF lists a tunnel as up. The CNF lists tunnels by their networks, which may have been narrowed, so
 * a tunnel may be up even if it is not listed.
 */
export const isAmong = (
  selectors: ReadonlySet<string>,
  { localSubnet, remoteSubnet }: Pick<IpsecConnection, "localSubnet" | "remoteSubnet">,
): boolean => localSubnet !== "" && remoteSubnet !== "" && selectors.has(`${localSubnet} === ${remoteSubnet}`);

const idOf = (remote: string, connection: string): string => `${remote} ${connection}`;
