import { ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import { Pod } from "@kubewright/client/kinds";
import type {
  Panel,
  PanelAttention,
  PanelContent,
  PanelDetail,
  PanelPart,
  PanelQuestion,
  PanelRow,
} from "@kubewright/console";
import { CNFStatus } from "../api/cnf-status.ts";
import { purposeLabel } from "../api/group.ts";
import { State } from "../api/status.ts";
import { cnfPods } from "../cnf/cnf-pods.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { Masks } from "../masking/purpose-masks.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import { cnfsPanel, counted, urgencyOf, waysPanel } from "./cell.ts";
import { type CnfState, cnfStateOf, configOf, drift, holdings, lastError, podCell, restarts } from "./cnf-state.ts";
import { listable, noteOf, type OperatorView, omittedText } from "./operator-view.ts";
import { effectCell, foundRules, isIneffective, reasonOf, stateCell } from "./rule-list.ts";

/** Maximum number of resources on one CNF's page that are listed because they have not taken effect. */
const maxNotInForce = 50;
/** Time after which a restart that is due needs attention. */
const lateMs = 60_000;

/** Returns a panel with all CNF pods: their reachability, objects, changes made by others, and errors. */
export function cnfs(operatorView: OperatorView): Panel {
  return {
    id: cnfsPanel,
    title: "CNFs",
    columns: [
      { id: "pod", title: "Pod" },
      { id: "purpose", title: "Purpose" },
      { id: "reachable", title: "Reachable" },
      { id: "heard", title: "Last response" },
      { id: "holds", title: "Objects" },
      { id: "drift", title: "Drift" },
      { id: "restarts", title: "Pending restarts" },
      { id: "error", title: "Last error" },
    ],
    rows: (question) => rows(operatorView, question),
    detail: (row, question) => detail(operatorView, row, question),
    attention: (question) => attention(operatorView, question),
  };
}

/**
 * Returns one row for each CNF pod. Only viewers who may list CNFStatus, which contains the same information, see the rows. Others see only
 * the number of pods.
 */
async function rows(operatorView: OperatorView, question: PanelQuestion): Promise<PanelContent> {
  const pods = await cnfPods(operatorView.reader);
  const { omitted } = await listable([CNFStatus], question);
  if (omitted.length > 0)
    return { rows: [], note: `${counted(pods.length, "pod")} of CNFs. ${noteOf(operatorView, omitted).note}` };
  const states = pods.map((pod) => cnfStateOf(operatorView, pod)).toSorted(byUrgency);
  return { ...noteOf(operatorView), rows: await Promise.all(states.map((state) => rowOf(operatorView, state))) };
}

const byUrgency = (a: CnfState, b: CnfState): number => rank(a) - rank(b) || (a.key < b.key ? -1 : 1);

const rank = ({ reachable, session }: CnfState): number =>
  Math.min(...[reachable, drift(session), restarts(session)].map(urgencyOf));

/** Returns the CNFs that do not respond, have changes by others, or whose services have not restarted for a minute after a change. */
async function attention(
  operatorView: OperatorView,
  question: Omit<PanelQuestion, "search">,
): Promise<readonly PanelAttention[]> {
  const { omitted } = await listable([CNFStatus], question);
  if (omitted.length > 0) return [];
  const states = (await cnfPods(operatorView.reader)).map((pod) => cnfStateOf(operatorView, pod)).toSorted(byUrgency);
  return states.flatMap(({ key, purpose, session, reachable }): PanelAttention[] => {
    const to = { panel: cnfsPanel, row: key };
    const name = `CNF ${key} (${purpose})`;
    if (reachable.tone === "bad") return [{ tone: "bad", text: `${name} is unreachable`, to }];
    const found = drift(session);
    const due = restarts(session);
    const isLate = due.sinceMs !== undefined && operatorView.clock.now() - due.sinceMs > lateMs;
    return [
      ...(found.tone === "warning"
        ? [{ tone: "warning", text: `${name} was changed by others: ${found.text}`, to } as const]
        : []),
      ...(isLate
        ? [{ tone: "warning", text: `Services of ${name} have not restarted after changes: ${due.text}`, to } as const]
        : []),
    ];
  });
}

async function rowOf(operatorView: OperatorView, state: CnfState): Promise<PanelRow> {
  const { pod, key, purpose, record, session, reachable } = state;
  return {
    pod: { ...podCell(pod), text: key },
    purpose,
    reachable,
    heard: record?.lastResponseMs === undefined ? "never" : { text: "", atMs: record.lastResponseMs },
    holds: holdings(session) || "nothing",
    drift: drift(session),
    restarts: restarts(session),
    error: (await lastError(operatorView, state)) ?? "",
  };
}

async function detail(
  operatorView: OperatorView,
  row: string,
  question: PanelQuestion,
): Promise<PanelDetail | undefined> {
  const { omitted } = await listable([CNFStatus], question);
  if (omitted.length > 0) return { title: row, parts: [{ type: "text", text: omittedText(omitted) }] };
  const pod = row.includes("/") ? await operatorView.reader.get(Pod, row).catch(ignoreNotFound) : undefined;
  if (!pod || !(purposeLabel in (pod.metadata.labels ?? {}))) return undefined;
  const state = cnfStateOf(operatorView, pod);
  const error = await lastError(operatorView, state);
  const tables = [
    collections(state),
    services(state),
    errors(state),
    ...(await notInForce(operatorView, state, question)),
  ];
  return { title: keyOf(pod), parts: [facts(state, error), ...tables] };
}

function facts({ pod, purpose, reachable, record, session }: CnfState, error: PanelRow[string] | undefined): PanelPart {
  const { lastResponseMs, latencySeconds, tunnelsUp } = record ?? {};
  return {
    type: "facts",
    facts: [
      { name: "Purpose", value: purpose },
      { name: "Reachable", value: reachable },
      { name: "Last response", value: lastResponseMs === undefined ? "never" : { text: "", atMs: lastResponseMs } },
      { name: "Latency", value: latencySeconds === undefined ? "" : `${Math.round(latencySeconds * 1_000)} ms` },
      { name: "Address", value: pod.status?.podIP ?? "none yet" },
      { name: "Node", value: pod.spec?.nodeName ?? "none yet" },
      { name: "Restarted", value: `${record?.restarts ?? 0} times` },
      { name: "Tunnels up", value: tunnelsUp ?? "not known" },
      { name: "Unwritten changes", value: session?.pending ?? 0 },
      { name: "Drift", value: drift(session) },
      { name: "Last error", value: error ?? "none" },
    ],
  };
}

function collections({ session }: CnfState): PanelPart {
  return {
    type: "table",
    title: "Objects",
    none: "No known objects.",
    columns: [
      { id: "collection", title: "Collection" },
      { id: "service", title: "Service" },
      { id: "objects", title: "Objects" },
      { id: "missing", title: "Missing" },
      { id: "changed", title: "Changed" },
    ],
    rows: (session?.collections ?? [])
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map(({ path, objects, missing, changed }) => ({
        collection: path,
        service: configOf(path),
        objects,
        missing: missing > 0 ? { text: String(missing), tone: "warning" } : 0,
        changed: changed > 0 ? { text: String(changed), tone: "warning" } : 0,
      })),
  };
}

function services({ session, record }: CnfState): PanelPart {
  const pending = new Map((session?.restarts ?? []).map((restart) => [restart.service, restart]));
  const names = new Set([...pending.keys(), ...(record?.serviceRestarts.keys() ?? [])]);
  return {
    type: "table",
    title: "Services",
    none: "No restarts yet.",
    columns: [
      { id: "service", title: "Service" },
      { id: "pending", title: "Pending restart" },
      { id: "restarted", title: "Restarted" },
    ],
    rows: [...names].sort().map((service) => {
      const restart = pending.get(service);
      return {
        service,
        pending: restart ? restarts(session && { ...session, restarts: [restart] }) : "none",
        restarted: `${record?.serviceRestarts.get(service) ?? 0} times`,
      };
    }),
  };
}

const reasons = {
  network: "no response",
  auth: "wrong credentials",
  refused: "request refused",
  failed: "request failed",
} as const;

function errors({ record }: CnfState): PanelPart {
  return {
    type: "table",
    title: "Failed requests",
    none: "None.",
    columns: [
      { id: "reason", title: "Reason" },
      { id: "times", title: "Times" },
    ],
    rows: [...(record?.errors ?? [])].map(([reason, times]) => ({ reason: reasons[reason], times })),
  };
}

async function notInForce(
  operatorView: OperatorView,
  { purpose, pod }: CnfState,
  question: PanelQuestion,
): Promise<readonly PanelPart[]> {
  const { shown: kinds, omitted } = await listable(
    (ruleKinds as readonly CnfKind[]).map(({ kind }) => kind),
    question,
  );
  const mask = await new Masks(operatorView).of(purpose);
  const { rules } = await foundRules(operatorView.reader, {
    purpose,
    matches: (rule) =>
      (rule.status?.state !== State.inSync || isIneffective(rule)) &&
      operatorView.scope.allows(rule.metadata.namespace, pod.metadata.namespace),
    kinds,
    limit: maxNotInForce,
  });
  const table: PanelPart = {
    type: "table",
    title: "Resources not in force",
    none: "All resources are in force.",
    columns: [
      { id: "resource", title: "Resource" },
      { id: "state", title: "State" },
      { id: "effect", title: "Effective" },
      { id: "message", title: "Message" },
    ],
    rows: rules.map(({ kind, rule, id, name }) => ({
      resource: { text: `${kind.kind.kind} ${name}`, to: { panel: waysPanel, row: id } },
      state: stateCell(rule),
      effect: effectCell(rule),
      message: mask(reasonOf(rule)),
    })),
  };
  return omitted.length === 0 ? [table] : [table, { type: "text", text: omittedText(omitted) }];
}
