import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import { purposeLabel } from "../api/group.ts";
import { IpsecHost, IpsecSite } from "../api/ipsec/ipsec-remotes.ts";
import { State } from "../api/status.ts";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import { byPurpose } from "../cnf/indexes.ts";
import type { EventReporter } from "./event-reporter.ts";
import { connectionsOf, type IpsecConnection } from "./ipsec-connections.ts";
import { isAmong, type TunnelLog } from "./tunnel-log.ts";
import type { Tunnels } from "./tunnels.ts";

export interface TunnelEventsOptions {
  readonly reader: Reader;
  readonly reporter: EventReporter;
  readonly scope: CnfScope;
  /** Records the state of tunnels. By default, the state is not recorded. */
  readonly log?: TunnelLog | undefined;
  readonly clock: Pick<Clock, "now">;
}

type CnfPod = DeepReadonly<Pod>;
type Remote = DeepReadonly<IpsecHost | IpsecSite>;

/** State in which a tunnel was last seen. `missing` means that it was down when first seen, which is normal for a new tunnel. */
type Seen = "up" | "missing" | "down";

interface Watched {
  readonly remote: Remote;
  readonly all: readonly IpsecConnection[];
  /** Connections that must always be up. */
  readonly connections: readonly IpsecConnection[];
}

/** Creates Events for a CNF's IpsecHosts and IpsecSites about their tunnels on its pods. */
export class TunnelEvents {
  readonly #options: TunnelEventsOptions;
  readonly #seen = new Map<string, ReadonlyMap<string, Seen>>();

  constructor(options: TunnelEventsOptions) {
    this.#options = options;
  }

  /**
   * Called with a pod's current tunnels.
   *
   * @returns true if all tunnels that must be up are up. Undefined if no resource defines such tunnels
   */
  async reported(pod: CnfPod, tunnels: Tunnels): Promise<boolean | undefined> {
    const { uid = "" } = pod.metadata;
    const all = await this.#remotesOf(pod);
    const watched = all.filter(({ connections }) => connections.length > 0);
    const required = watched.reduce((sum, { connections }) => sum + connections.length, 0);
    const { log, clock } = this.#options;
    const remotes = all.map(({ remote, all: connections }) => ({ uid: remote.metadata.uid ?? "", connections }));
    log?.note(uid, remotes, tunnels, required, clock.now());
    const before = this.#seen.get(uid);
    const now = new Map<string, Seen>();
    for (const { remote, connections } of watched) {
      const id = remote.metadata.uid ?? "";
      const isUp = tunnels.up >= required || connections.every((each) => isAmong(tunnels.selectors, each));
      const seen = nextOf(before?.get(id), isUp);
      now.set(id, seen);
      if (needsEvent(before, id, seen))
        this.#record(remote, pod, seen, `${tunnels.up} up, ${tunnels.connecting} connecting`);
    }
    this.#seen.set(uid, now);
    return all.length === 0 ? undefined : [...now.values()].every((seen) => seen === "up");
  }

  /** Drops all pods except these. */
  keep(uids: ReadonlySet<string | undefined>): void {
    for (const uid of this.#seen.keys()) if (!uids.has(uid)) this.#seen.delete(uid);
    this.#options.log?.keep(uids);
  }

  /** Returns the resources that are applied to the CNF. */
  async #remotesOf({ metadata }: CnfPod): Promise<readonly Watched[]> {
    const { reader, scope } = this.#options;
    const selection = { fields: { [byPurpose]: metadata.labels?.[purposeLabel] ?? "" } };
    const remotes: readonly Remote[] = (
      await Promise.all([reader.list(IpsecHost, selection), reader.list(IpsecSite, selection)])
    ).flat();
    return remotes
      .filter((remote) => scope.allows(remote.metadata.namespace, metadata.namespace))
      .filter((remote) => remote.status?.state === State.inSync && !remote.metadata.deletionTimestamp)
      .map((remote) => ({ remote, all: connectionsOf(remote.spec) }))
      .map((each) => ({ ...each, connections: each.all.filter(({ mode }) => mode === "start") }));
  }

  #record(remote: Remote, pod: CnfPod, seen: Seen, counts: string): void {
    const { name } = pod.metadata;
    if (seen === "up")
      this.#options.reporter.report(remote, "TunnelUp", `Its tunnels on the CNF in pod ${name} are up`, pod);
    else
      this.#options.reporter.report(
        remote,
        "TunnelDown",
        `One of its tunnels on the CNF in pod ${name} is down; IPsec there: ${counts}`,
        pod,
      );
  }
}

function nextOf(before: Seen | undefined, isUp: boolean): Seen {
  if (isUp) return "up";
  return before === undefined ? "missing" : "down";
}

/** Reports whether a state needs an Event. Tunnels that are up at the first query need none. */
function needsEvent(before: ReadonlyMap<string, Seen> | undefined, id: string, now: Seen): boolean {
  if (now === "missing") return false;
  if (now === "up") return before !== undefined && before.get(id) !== "up";
  return before?.get(id) !== "down";
}
