import { type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import type { PanelText } from "@kubewright/console";
import { purposeLabel } from "../api/group.ts";
import { byNameOnCnf, nameKeyOf } from "../cnf/indexes.ts";
import { isReady } from "../cnf/pod-state.ts";
import type { SessionState } from "../cnf/session/session.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { masked } from "../masking/mask.ts";
import type { CnfObject, CnfRecord } from "../metrics/cnf-records.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import { at, cnfsPanel, counted, since } from "./cell.ts";
import type { OperatorView } from "./operator-view.ts";

export type CnfPod = DeepReadonly<Pod>;

/** A CNF pod's state, as text for cells. */
export interface CnfState {
  readonly pod: CnfPod;
  readonly key: string;
  readonly purpose: string;
  readonly record: CnfRecord | undefined;
  readonly session: SessionState | undefined;
  readonly reachable: PanelText;
}

export const purposeOfPod = ({ metadata }: CnfPod): string => metadata.labels?.[purposeLabel] ?? "";

export function cnfStateOf(operatorView: OperatorView, pod: CnfPod): CnfState {
  const { uid = "" } = pod.metadata;
  const record = operatorView.recordOf(uid);
  const session = operatorView.sessions().get(uid)?.inspect();
  const key = keyOf(pod);
  return { pod, key, purpose: purposeOfPod(pod), record, session, reachable: reachableOf(operatorView, pod) };
}

/** Returns a cell that shows whether a pod responds, and since when. */
export function reachableOf({ scope, recordOf }: OperatorView, pod: CnfPod): PanelText {
  const record = recordOf(pod.metadata.uid ?? "");
  const { namespace } = pod.metadata;
  if (!scope.allows(namespace, namespace)) return { text: "out of scope", tone: "neutral" };
  if (record?.isReachable === undefined)
    return isReady(pod) ? { text: "not checked yet", tone: "neutral" } : { text: "starting", tone: "neutral" };
  return record.isReachable
    ? { text: "reachable", tone: "good", ...since(record.reachableSinceMs) }
    : { text: "unreachable", tone: "bad", ...since(record.reachableSinceMs) };
}

/** Returns a cell that links to a pod's row. */
export const podCell = ({ metadata }: CnfPod): PanelText => ({
  text: metadata.name,
  to: { panel: cnfsPanel, row: keyOf({ metadata }) },
});

/** Returns the number of objects for each service that they configure, such as `firewall 12, ipsec 3`. */
export function holdings({ collections = [] }: Partial<SessionState> = {}): string {
  const counts = new Map<string, number>();
  for (const { path, objects } of collections) counts.set(configOf(path), (counts.get(configOf(path)) ?? 0) + objects);
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([config, count]) => `${config} ${count}`)
    .join(", ");
}

/** Returns the first segment of a collection's path. */
export const configOf = (path: string): string => path.slice(0, path.indexOf("/"));

export function drift(session: SessionState | undefined): PanelText {
  const { collections = [], driftFound, driftRevertedMs } = session ?? {};
  const missing = collections.reduce((sum, each) => sum + each.missing, 0);
  const changed = collections.reduce((sum, each) => sum + each.changed, 0);
  const displaced = collections.reduce((sum, each) => sum + each.displaced, 0);
  const counts = { missing, changed, moved: displaced };
  const now = Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []));
  if (now.length > 0) return { text: now.join(", "), tone: "warning", ...at(driftFound?.atMs) };
  if (!driftFound) return { text: "none found", tone: "good" };
  if (driftRevertedMs !== undefined && driftRevertedMs >= driftFound.atMs)
    return { text: `reverted, ${counted(driftFound.objects, "object")}`, tone: "good", atMs: driftRevertedMs };
  return { text: `found, ${counted(driftFound.objects, "object")}`, tone: "warning", atMs: driftFound.atMs };
}

/**
 * Returns the services waiting for a restart. If a restart has been due for a long time, it has failed or the CNF is
 * not responding.
 */
export function restarts(session: SessionState | undefined): PanelText {
  const [first, ...others] = session?.restarts ?? [];
  if (!first) return { text: "none", tone: "good" };
  const names = [first, ...others].map(({ service, changes }) =>
    changes > 0 ? `${service} (${counted(changes, "change")})` : service,
  );
  return { text: names.join(", "), tone: "warning", ...since(first.sinceMs) };
}

/** Time for which an error remains visible after the CNF has responded again. */
const resolvedMs = 10 * 60_000;

/** Returns the last error without secrets, or a replacement text if the secrets are unknown. */
export async function lastError(
  operatorView: OperatorView,
  { pod, purpose, record }: CnfState,
): Promise<PanelText | undefined> {
  const { lastError: error, isReachable, lastResponseMs = 0 } = record ?? {};
  if (!error) return undefined;
  const isResolved = isReachable === true && lastResponseMs > error.atMs;
  if (isResolved && operatorView.clock.now() - error.atMs > resolvedMs) return undefined;
  const secrets = await operatorView.secretsOfPod(pod).catch(() => undefined); // without the secrets, nothing can be masked
  if (!secrets) return { text: "hidden, because the secrets to mask are unknown", atMs: error.atMs };
  const resource = error.object ? `${await nameOf(operatorView.reader, purpose, error.object)}: ` : "";
  return { text: `${resource}${masked(error.message, secrets)}`, atMs: error.atMs };
}

/** Returns the resource of an object on a CNF, or the object itself if no resource claims it. */
async function nameOf(reader: Reader, purpose: string, { path, name }: CnfObject): Promise<string> {
  const kinds: readonly CnfKind[] = ruleKinds;
  for (const kind of kinds) {
    if (kind.path !== path) continue;
    const [rule] = await reader.list(kind.kind, { fields: { [byNameOnCnf]: nameKeyOf(purpose, name) } });
    if (rule) return `${kind.kind.kind} ${keyOf(rule)}`;
  }
  return `${path}/${name}`;
}
