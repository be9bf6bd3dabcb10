import { type DeepReadonly, ignoreNotFound } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Deployment, Pod } from "@kubewright/client/kinds";
import { type Clock, systemClock } from "@kubewright/clock";
import type { CnfModule } from "../cnf/cnf-api.ts";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import { deploymentOf } from "../cnf/discovery.ts";
import { isReady } from "../cnf/pod-state.ts";
import type { Happening, Herald } from "./herald.ts";
import type { TunnelLog } from "./tunnel-log.ts";
import { TunnelNews } from "./tunnel-news.ts";
import { type Tunnels, tunnelsIn } from "./tunnels.ts";

export interface CnfNewsOptions {
  readonly reader: Reader;
  readonly herald: Herald;
  /** Determines which resources may configure a CNF. */
  readonly scope: CnfScope;
  /** Records the state of tunnels. Default: not recorded. */
  readonly log?: TunnelLog;
  readonly clock?: Pick<Clock, "now">;
}

/** State of a pod's CNF at the last query. */
interface Known {
  readonly answers: boolean;
  readonly tunnels: Tunnels | undefined;
}

type CnfPod = DeepReadonly<Pod>;

/** Creates Events about CNFs on their Deployment, or on the pod if it has none. Also creates Events about tunnels on the resource. */
export class CnfNews {
  readonly #options: CnfNewsOptions;
  readonly #tunnelNews: TunnelNews;
  readonly #known = new Map<string, Known>();

  constructor(options: CnfNewsOptions) {
    this.#options = options;
    this.#tunnelNews = new TunnelNews({ clock: systemClock, ...options });
  }

  /** Called when a container of a pod has restarted, so that its CNF is empty. */
  async restarted(pod: CnfPod): Promise<void> {
    await this.#tell(
      pod,
      "CnfRestarted",
      `The CNF in pod ${pod.metadata.name} restarted and is being configured again`,
    );
  }

  /** Called when a CNF reported its status. */
  async heard(pod: CnfPod, modules: readonly CnfModule[]): Promise<void> {
    const { uid = "", name } = pod.metadata;
    const before = this.#known.get(uid);
    const said = tunnelsIn(modules);
    const tunnels = said ? await this.#judged(pod, said) : before?.tunnels;
    this.#known.set(uid, { answers: true, tunnels });
    const change = changeOf(before?.tunnels, tunnels);
    if (change)
      await this.#tell(pod, change, `IPsec in pod ${name}: ${shown(tunnels)}; before: ${shown(before?.tunnels)}`);
  }

  /** If resources define which tunnels must be up, the other tunnels may be down, although the CNF itself expects all of them. */
  async #judged(pod: CnfPod, tunnels: Tunnels): Promise<Tunnels> {
    const stand = await this.#tunnelNews.heard(pod, tunnels);
    return { ...tunnels, isComplete: tunnels.isComplete || stand === true };
  }

  /**
   * Called when a CNF did not respond. A CNF that has never responded and is not ready is still starting.
   *
   * @param reason without secrets
   */
  async silent(pod: CnfPod, reason: string): Promise<void> {
    const { uid = "", name } = pod.metadata;
    const before = this.#known.get(uid);
    if (before?.answers === false || (!before && !isReady(pod))) return;
    this.#known.set(uid, { answers: false, tunnels: before?.tunnels });
    await this.#tell(pod, "CnfUnreachable", `The CNF in pod ${name} does not respond: ${reason}`);
  }

  /** Drops all pods except these. */
  keep(uids: ReadonlySet<string | undefined>): void {
    for (const uid of this.#known.keys()) if (!uids.has(uid)) this.#known.delete(uid);
    this.#tunnelNews.keep(uids);
  }

  async #tell(pod: CnfPod, happening: Happening, note: string): Promise<void> {
    const { reader, herald } = this.#options;
    const deployment: DeepReadonly<Deployment> | undefined = await deploymentOf(reader, pod).catch(ignoreNotFound);
    herald.tell(deployment ?? pod, happening, note, ...(deployment ? [pod] : []));
  }
}

/** Returns the change. Tunnels that are up at the first query do not count as a change. */
function changeOf(before: Tunnels | undefined, now: Tunnels | undefined): Happening | undefined {
  if (!now) return undefined;
  if (!before) return now.isComplete ? undefined : "TunnelDown";
  if (now.up === before.up && now.isComplete === before.isComplete) return undefined;
  return now.up < before.up || (before.isComplete && !now.isComplete) ? "TunnelDown" : "TunnelUp";
}

const shown = (tunnels: Tunnels | undefined): string =>
  tunnels
    ? `${tunnels.up} up, ${tunnels.connecting} connecting${tunnels.isComplete ? "" : ", some are missing"}`
    : "unknown";
