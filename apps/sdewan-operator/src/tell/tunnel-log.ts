import type { WantedConnection } from "./started-connections.ts";
import type { Tunnels } from "./tunnels.ts";

/**
 * How a tunnel on one pod is. `waits`: it is not to stand by itself, and does not. `unclear`: not all stand that should, and nobody says
 * whether this one does.
 */
export interface TunnelState {
  readonly state: "up" | "down" | "waits" | "unclear";
  /** In milliseconds since 1970. */
  readonly sinceMs: number;
}

/** The tunnels of a resource on a pod. */
export interface LoggedRemote {
  /** The uid of the resource. */
  readonly uid: string;
  readonly connections: readonly WantedConnection[];
}

/** How the tunnels of all CNF pods are, and since when, as CNFs last said it: of those that there are now. */
export class TunnelLog {
  readonly #heard = new Map<string, ReadonlyMap<string, TunnelState>>();

  /** @param wanted how many tunnels are to stand: if so many do, all of these are among them */
  note(pod: string, remotes: readonly LoggedRemote[], tunnels: Tunnels, wanted: number, nowMs: number): void {
    const before = this.#heard.get(pod);
    const now = new Map<string, TunnelState>();
    for (const { uid, connections } of remotes)
      for (const connection of connections) {
        const id = idOf(uid, connection.name);
        const state = stateOf(connection, tunnels, wanted);
        const known = before?.get(id);
        now.set(id, known?.state === state ? known : { state, sinceMs: nowMs });
      }
    this.#heard.set(pod, now);
  }

  /** Nothing: the CNF has not spoken of it yet. */
  find(pod: string, remote: string, connection: string): TunnelState | undefined {
    return this.#heard.get(pod)?.get(idOf(remote, connection));
  }

  /** Forgets all pods but these. */
  keep(uids: ReadonlySet<string | undefined>): void {
    for (const uid of this.#heard.keys()) if (!uids.has(uid)) this.#heard.delete(uid);
  }
}

function stateOf(connection: WantedConnection, { up, selectors }: Tunnels, wanted: number): TunnelState["state"] {
  if (isAmong(selectors, connection)) return "up";
  if (connection.mode !== "start") return "waits";
  if (up >= wanted) return "up";
  return up > 0 && !(connection.localSubnet && connection.remoteSubnet) ? "unclear" : "down";
}

/** The CNF lists the networks of tunnels that stand; it narrows some, so that one which is not there may stand all the same. */
export const isAmong = (
  selectors: ReadonlySet<string>,
  { localSubnet, remoteSubnet }: Pick<WantedConnection, "localSubnet" | "remoteSubnet">,
): boolean => localSubnet !== "" && remoteSubnet !== "" && selectors.has(`${localSubnet} === ${remoteSubnet}`);

const idOf = (remote: string, connection: string): string => `${remote} ${connection}`;
