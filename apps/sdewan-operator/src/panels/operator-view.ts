import { type DeepReadonly, describedResource, type Kind } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import type { PanelQuestion } from "@kubewright/console";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import type { CnfSession } from "../cnf/session/session.ts";
import type { SecretsView } from "../masking/purpose-masks.ts";
import type { CnfRecord } from "../metrics/cnf-records.ts";
import type { PlanOptions, PlanReport } from "../plan/plan.ts";
import type { TunnelLog } from "../reporting/tunnel-log.ts";
import type { PodFailures } from "../rules/pod-failures.ts";

/** Access to a running operator's state, for display. Requests are sent to CNFs only for plans. */
export interface OperatorView extends SecretsView {
  /** The operator's cache. */
  readonly reader: Reader;
  readonly clock: Pick<Clock, "now">;
  /** Determines which resources may configure a CNF. */
  readonly scope: CnfScope;
  /** Returns the current sessions, keyed by the uid of their pod. */
  readonly sessions: () => ReadonlyMap<string, Pick<CnfSession, "inspect" | "stateOf">>;
  /** Returns the record of the pod with the given UID. */
  readonly recordOf: (uid: string) => CnfRecord | undefined;
  readonly tunnels: Pick<TunnelLog, "find">;
  readonly failures: Pick<PodFailures, "of">;
  /** Returns a pod's secrets. Rejects if they are unknown. */
  readonly secretsOfPod: (pod: DeepReadonly<Pod>) => Promise<readonly (string | undefined)[]>;
  /** Returns what the operator would do after a change. Reads CNFs, and writes nothing. */
  readonly plan: (asked: Pick<PlanOptions, "live" | "objects" | "purpose">) => Promise<PlanReport>;
  /** Returns whether this process connects to CNFs. If it does not, also returns the leader. */
  readonly leadership: () => { readonly leads: boolean; readonly leader: string };
}

/**
 * Returns the note to show above a panel if this process is not the leader, and thus has no data about CNFs, or if
 * kinds are omitted.
 */
export function noteOf({ leadership }: OperatorView, omitted: readonly string[] = []): { readonly note?: string } {
  const { leads, leader } = leadership();
  const notes = [
    ...(leads ? [] : [`This process is not the leader and does not connect to CNFs. Leader: ${leader || "none yet"}.`]),
    ...(omitted.length === 0 ? [] : [omittedText(omitted)]),
  ];
  return notes.length > 0 ? { note: notes.join(" ") } : {};
}

export const omittedText = (kinds: readonly string[]): string =>
  `Kinds that you may not list are omitted: ${kinds.join(", ")}.`;

/** Returns the kinds that a viewer is allowed to list, in one or all namespaces, and the names of the other kinds. */
export async function listable<K extends Kind>(
  kinds: readonly K[],
  { mayList }: Pick<PanelQuestion, "mayList">,
  namespace?: string,
): Promise<{ readonly shown: ReadonlySet<K>; readonly omitted: readonly string[] }> {
  const isListable = async (kind: K): Promise<boolean> => {
    const { group, version } = kind;
    const access = { group, version, resource: describedResource(kind).plural };
    return (await mayList(access)) || (!!namespace && (await mayList({ ...access, namespace })));
  };
  const results = await Promise.all(kinds.map(isListable));
  const shown = new Set(kinds.filter((_kind, at) => results[at]));
  return { shown, omitted: kinds.filter((kind) => !shown.has(kind)).map(({ kind }) => kind) };
}
