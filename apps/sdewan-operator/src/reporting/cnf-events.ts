import { type DeepReadonly, ignoreNotFound } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Deployment, Pod } from "@kubewright/client/kinds";
import { type Clock, systemClock } from "@kubewright/clock";
import { purposeLabel } from "../api/group.ts";
import type { CnfModule } from "../cnf/cnf-api.ts";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import { deploymentOf } from "../cnf/discovery.ts";
import { byNameOnCnf, nameKeyOf } from "../cnf/indexes.ts";
import { isReady } from "../cnf/pod-state.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import type { EventReason, EventReporter } from "./event-reporter.ts";
import { TunnelEvents } from "./tunnel-events.ts";
import type { TunnelLog } from "./tunnel-log.ts";
import { type Tunnels, tunnelsIn } from "./tunnels.ts";

export interface CnfEventsOptions {
  readonly reader: Reader;
  readonly reporter: EventReporter;
  /** Determines which resources may configure a CNF. */
  readonly scope: CnfScope;
  /** Records the state of tunnels. Default: not recorded. */
  readonly log?: TunnelLog;
  readonly clock?: Pick<Clock, "now">;
}

/** Maximum number of names of a collection in an Event, and maximum number of names for which to look up a resource. */
const maxNames = 3;
const maxLookups = 100;
const maxNameLength = 64;
const quoted = (name: string): string => JSON.stringify(name.slice(0, maxNameLength));

/** State of a pod's CNF at the last query. */
interface Known {
  readonly responds: boolean;
  readonly tunnels: Tunnels | undefined;
}

type CnfPod = DeepReadonly<Pod>;

/**
 * Creates Events about CNFs. The Events refer to the CNF's Deployment, or to the pod if there is no Deployment. Events
 * about tunnels refer to the resource that requests the tunnel.
 */
export class CnfEvents {
  readonly #options: CnfEventsOptions;
  readonly #tunnelEvents: TunnelEvents;
  readonly #known = new Map<string, Known>();
  /** Last message about foreign objects located between resources' objects, keyed by pod UID. */
  readonly #others = new Map<string, string>();

  constructor(options: CnfEventsOptions) {
    this.#options = options;
    this.#tunnelEvents = new TunnelEvents({ clock: systemClock, ...options });
  }

  /** Called when a container of a pod has restarted, which leaves its CNF empty. */
  async restarted(pod: CnfPod): Promise<void> {
    await this.#record(
      pod,
      "CnfRestarted",
      `The CNF in pod ${pod.metadata.name} restarted and is being configured again`,
    );
  }

  /** Called when a CNF has reported its status. */
  async reported(pod: CnfPod, modules: readonly CnfModule[]): Promise<void> {
    const { uid = "", name } = pod.metadata;
    const before = this.#known.get(uid);
    const reported = tunnelsIn(modules);
    const tunnels = reported ? await this.#withRequired(pod, reported) : before?.tunnels;
    this.#known.set(uid, { responds: true, tunnels });
    const change = changeOf(before?.tunnels, tunnels);
    if (change)
      await this.#record(pod, change, `IPsec in pod ${name}: ${shown(tunnels)}; before: ${shown(before?.tunnels)}`);
  }

  /**
   * Returns the tunnels as complete if all required tunnels are up. The CNF itself reports its tunnels as complete only if all of them are
   * up. If resources define which tunnels must be up, however, all others may be down.
   */
  async #withRequired(pod: CnfPod, tunnels: Tunnels): Promise<Tunnels> {
    const allUp = await this.#tunnelEvents.reported(pod, tunnels);
    return { ...tunnels, isComplete: tunnels.isComplete || allUp === true };
  }

  /**
   * Called when a CNF has not responded. A CNF that has never responded and is not ready is still starting.
   *
   * @param reason reason, without secrets
   */
  async unreachable(pod: CnfPod, reason: string): Promise<void> {
    const { uid = "", name } = pod.metadata;
    const before = this.#known.get(uid);
    if (before?.responds === false || (!before && !isReady(pod))) return;
    this.#known.set(uid, { responds: false, tunnels: before?.tunnels });
    await this.#record(pod, "CnfUnreachable", `The CNF in pod ${name} does not respond: ${reason}`);
  }

  /**
   * Called after a check with the foreign objects located between resources' objects. The operator does not move them,
   * so they may apply before resources that come later.
   *
   * @param names names in order, keyed by path
   * @param hideOf returns a function that removes secrets from the messages of the pod's CNF
   */
  async othersBetween(
    pod: CnfPod,
    names: ReadonlyMap<string, readonly string[]>,
    hideOf: (pod: CnfPod) => Promise<(text: string) => string>,
  ): Promise<void> {
    const { uid = "", name } = pod.metadata;
    const texts: string[] = [];
    for (const [path, all] of names) {
      const others = await this.#withoutResources(pod, path, all);
      const more = others.length > maxNames ? ` and ${others.length - maxNames} more` : "";
      if (others.length > 0) texts.push(`${path}: ${others.slice(0, maxNames).map(quoted).join(", ")}${more}`);
    }
    const text = texts.join("; ");
    if (text === "") this.#others.delete(uid);
    if (text === (this.#others.get(uid) ?? "")) return;
    const hide = await hideOf(pod);
    const note = `The CNF in pod ${name} has unmanaged objects between managed ones; they may take precedence: ${text}`;
    await this.#record(pod, "OthersBetween", hide(note));
    this.#others.set(uid, text);
  }

  /** Returns the names that do not belong to any of the CNF's resources. */
  async #withoutResources(pod: CnfPod, path: string, names: readonly string[]): Promise<readonly string[]> {
    const purpose = pod.metadata.labels?.[purposeLabel] ?? "";
    const kinds: readonly CnfKind[] = ruleKinds.filter((kind) => kind.path === path);
    const owned = new Set<string>();
    for (const name of names.slice(0, maxLookups))
      for (const kind of kinds) {
        const [rule] = await this.#options.reader.list(kind.kind, {
          fields: { [byNameOnCnf]: nameKeyOf(purpose, name) },
        });
        if (rule) owned.add(name);
      }
    return names.filter((name) => !owned.has(name));
  }

  /** Drops all pods except these. */
  keep(uids: ReadonlySet<string | undefined>): void {
    for (const uid of this.#others.keys()) if (!uids.has(uid)) this.#others.delete(uid);
    for (const uid of this.#known.keys()) if (!uids.has(uid)) this.#known.delete(uid);
    this.#tunnelEvents.keep(uids);
  }

  async #record(pod: CnfPod, reason: EventReason, note: string): Promise<void> {
    const { reader, reporter } = this.#options;
    const deployment: DeepReadonly<Deployment> | undefined = await deploymentOf(reader, pod).catch(ignoreNotFound);
    reporter.report(deployment ?? pod, reason, note, ...(deployment ? [pod] : []));
  }
}

/**
 * Returns the reason of the Event for a change of tunnels, or undefined if nothing changed. Tunnels that are up at the
 * first query do not count as a change.
 */
function changeOf(before: Tunnels | undefined, now: Tunnels | undefined): EventReason | undefined {
  if (!now) return undefined;
  if (!before) return now.isComplete ? undefined : "TunnelDown";
  if (now.up === before.up && now.isComplete === before.isComplete) return undefined;
  return now.up < before.up || (before.isComplete && !now.isComplete) ? "TunnelDown" : "TunnelUp";
}

const shown = (tunnels: Tunnels | undefined): string =>
  tunnels
    ? `${tunnels.up} up, ${tunnels.connecting} connecting${tunnels.isComplete ? "" : ", some are missing"}`
    : "unknown";
