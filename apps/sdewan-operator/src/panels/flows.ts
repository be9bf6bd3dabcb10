import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { EventLoopShare, systemClock } from "@kubewright/clock";
import type { Panel, PanelContent, PanelDetail, PanelPicture, PanelQuestion, PanelText } from "@kubewright/console";
import { networksAnnotation } from "../api/group.ts";
import { IpsecHost, IpsecSite } from "../api/ipsec/ipsec-remotes.ts";
import { messageOf } from "../cnf/cnf-error.ts";
import { everyNamespace, ownNamespace } from "../cnf/cnf-scope.ts";
import { cnfViewOf } from "../cnf/cnf-view.ts";
import { AmbiguousCnfError, type Cnf, findCnf } from "../cnf/discovery.ts";
import { byPurpose } from "../cnf/indexes.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { type Flow, FlowError, flowOf } from "../trace/flow.ts";
import { type ResourceOnCnf, reportedCnf } from "../trace/reported-cnf.ts";
import { flowText, type Trace, traceOf, verdictText } from "../trace/trace.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import { fileOrder, orderOf } from "../uci/order.ts";
import type { UciObject } from "../uci/uci-object.ts";
import { flowsPanel, linkTo } from "./cell.ts";
import type { CnfPod } from "./cnf-state.ts";
import { listable, type OperatorView } from "./operator-view.ts";

const usage =
  "Enter the purpose of a CNF, the source and destination of a connection and, if known, the interface that its first packet enters through.";
/** Maximum number of resources of a CNF that a trace in the console reads. */
const maxResources = 2_000;
/** Maximum number of different results that are shown. */
const maxResults = 8;
const maxNames = 5;

/** A flow to follow, as a viewer describes it. */
interface Asked {
  readonly purpose: string;
  /** Namespace of the CNF; undefined if only one CNF has the purpose. */
  readonly namespace: string | undefined;
  readonly flow: Flow;
}

/** Pods with the same result. */
interface Result {
  readonly pods: readonly CnfPod[];
  readonly trace: Trace;
}

/** Returns a panel that traces a connection through a CNF's pods, based on the resources. */
export function flows(operatorView: OperatorView): Panel {
  return {
    id: flowsPanel,
    title: "Which rule decides",
    columns: [
      { id: "pods", title: "Pods" },
      { id: "result", title: "Result" },
      { id: "decides", title: "Decided by" },
      { id: "conditions", title: "Conditions" },
    ],
    searches: true,
    form: [
      { title: "Purpose", example: "edge7 or namespace/edge7" },
      { title: "From", example: "10.1.2.3" },
      { title: "To", example: "203.0.113.9:443/tcp" },
      { title: "In", example: "net1", isOptional: true },
    ],
    rows: (question) => content(operatorView, question),
    detail: (row, question) => detail(operatorView, row, question),
  };
}

async function content(operatorView: OperatorView, question: PanelQuestion): Promise<PanelContent> {
  if (question.search.trim() === "") return { note: usage, rows: [] };
  const found = await resultsOf(operatorView, question.search, question);
  if ("problem" in found) return { note: found.problem, rows: [] };
  const { asked, results } = found;
  const rows = results.map(({ pods, trace }, index) => {
    const last = trace.steps.findLast(({ resource }) => resource !== undefined);
    return {
      pods: { text: namesOf(pods), to: { panel: flowsPanel, row: `${index} ${question.search.trim()}` } },
      result: resultCell(trace),
      decides: last?.resource === undefined ? "" : { text: last.resource, ...linkTo(last.resource) },
      conditions: trace.conditions.length === 0 ? "none" : trace.conditions.join("; "),
    };
  });
  const note = `${flowText(asked.flow)}, according to the resources of ${asked.purpose}. ${found.note}`.trim();
  const [first] = results;
  return { note, rows, ...(first ? { picture: pictureOf(asked.flow, first.trace) } : {}) };
}

async function detail(
  operatorView: OperatorView,
  row: string,
  question: PanelQuestion,
): Promise<PanelDetail | undefined> {
  const [, index, search = ""] = /^(\d{1,2}) (.*)$/.exec(row) ?? [];
  const found = index === undefined ? undefined : await resultsOf(operatorView, search, question);
  if (!found) return undefined;
  if ("problem" in found) return { title: search, parts: [{ type: "text", text: found.problem }] };
  const result = found.results[Number(index)];
  if (!result) return undefined;
  const { trace, pods } = result;
  return {
    title: flowText(found.asked.flow),
    parts: [
      {
        type: "facts",
        facts: [
          { name: "Pods", value: namesOf(pods) },
          { name: "Result", value: resultCell(trace) },
        ],
      },
      {
        type: "way",
        title: "Path through the CNF",
        steps: trace.steps.map(({ stage, text, resource }) => ({
          name: stage,
          value: resource === undefined ? text : { text: resource, ...linkTo(resource) },
          ...(resource === undefined ? {} : { note: text }),
        })),
      },
      ...[...trace.conditions.map((text) => `If: ${text}`), ...trace.unknown.map((text) => `Not known: ${text}`)].map(
        (text) => ({ type: "text" as const, text }),
      ),
    ],
  };
}

const tones = { accepted: "good", rejected: "bad", dropped: "bad", unroutable: "bad" } as const;

const resultCell = (trace: Trace): PanelText => ({
  text: verdictText(trace),
  tone: trace.verdict.isCertain ? tones[trace.verdict.action] : "warning",
});

function namesOf(pods: readonly CnfPod[]): string {
  const names = pods.slice(0, maxNames).map(({ metadata }) => metadata.name);
  return `${names.join(", ")}${pods.length > maxNames ? ` and ${pods.length - maxNames} more` : ""}`;
}

/** Draws the way of a packet: its source, a box for each step, and its destination. */
function pictureOf(flow: Flow, trace: Trace): PanelPicture {
  const { verdict, steps } = trace;
  const result = resultCell(trace);
  const nodes = [
    { id: "source", title: flowText(flow), note: verdict.incoming ?? "", shape: "outside" as const },
    ...steps.map(({ stage, text, resource }, index) => ({
      id: `step ${index}`,
      title: resource ?? stage,
      note: resource === undefined ? text : stage,
      ...(resource === undefined ? {} : linkTo(resource)),
    })),
    { id: "end", title: verdict.action, note: verdict.outgoing ?? "", state: result, shape: "outside" as const },
  ];
  const edges = nodes.slice(1).map(({ id }, index) => ({
    from: nodes[index]?.id ?? "",
    to: id,
    state: { text: "", tone: result.tone },
  }));
  return { nodes, edges };
}

function askedIn(search: string): Asked | { readonly problem: string } {
  const [named = "", from = "", to = "", incoming, ...others] = search.trim().split(/\s+/);
  const [purpose = "", namespace] = named.split("/").toReversed();
  if (to === "" || others.length > 0) return { problem: usage };
  try {
    return { purpose, namespace, flow: flowOf({ from, to, in: incoming }) };
  } catch (error) {
    if (!(error instanceof FlowError)) throw error;
    const words = { "--from": "source", "--to": "destination", "--in": "interface" };
    const problem = Object.entries(words).reduce((text, [option, word]) => text.replace(option, word), error.message);
    return { problem: `${problem}. ${usage}` };
  }
}

/** Kinds without which a trace is still right, apart from the encryption of packets. They may contain keys, so not every viewer may list them. */
const optional: ReadonlySet<unknown> = new Set([IpsecHost, IpsecSite]);

async function resultsOf(
  operatorView: OperatorView,
  search: string,
  question: Pick<PanelQuestion, "mayList">,
): Promise<
  { readonly problem: string } | { readonly asked: Asked; readonly results: readonly Result[]; readonly note: string }
> {
  const asked = askedIn(search);
  if ("problem" in asked) return asked;
  const { reader, scope } = operatorView;
  const kinds: readonly CnfKind[] = ruleKinds;
  const { shown } = await listable(
    kinds.map(({ kind }) => kind),
    question,
  );
  const missing = kinds.filter(({ kind }) => !shown.has(kind));
  const needed = missing.filter(({ kind }) => !optional.has(kind)).map(({ kind }) => kind.kind);
  if (needed.length > 0) return { problem: `A trace needs permission to list: ${needed.join(", ")}.` };
  const cnf = await cnfOf(reader, asked);
  if (!cnf) return { problem: `No CNF has the purpose ${asked.purpose}.` };
  if ("problem" in cnf) return cnf;
  const { namespace } = cnf.deployment.metadata;
  const rules: { kind: CnfKind; rule: DeepReadonly<RuleObject> }[] = [];
  for (const kind of kinds.filter((each) => !missing.includes(each)))
    for (const rule of await reader.list(kind.kind, { fields: { [byPurpose]: asked.purpose } }))
      if (scope.allows(rule.metadata.namespace, namespace) && !rule.metadata.deletionTimestamp)
        rules.push({ kind, rule });
  if (rules.length > maxResources)
    return {
      problem: `The CNF has ${rules.length} resources; use sdewan-operator trace for more than ${maxResources}.`,
    };
  const share = EventLoopShare.of(systemClock);
  const held = new Map<string, Promise<Wanted>>();
  const traces = new Map<string, { readonly pods: CnfPod[]; readonly trace: Trace }>();
  for (const pod of cnf.pods.slice(0, maxPods)) {
    if (share.isUsedUp()) await share.nextTurn();
    const networks = JSON.stringify(pod.metadata.annotations?.[networksAnnotation] ?? "");
    const wanted = held.get(networks) ?? wantedOn(operatorView, pod, rules);
    held.set(networks, wanted);
    const { objects, resources } = await wanted;
    const trace = traceOf(reportedCnf(pod, objects, resources, []), asked.flow);
    const known = traces.get(JSON.stringify(trace));
    if (known) known.pods.push(pod);
    else traces.set(JSON.stringify(trace), { pods: [pod], trace });
  }
  const hidden =
    missing.length > 0
      ? `The trace does not include tunnels, because you may not list ${missing.map(({ kind }) => kind.kind).join(", ")}.`
      : "";
  return { asked, results: [...traces.values()].slice(0, maxResults), note: hidden };
}

async function cnfOf(
  reader: Reader,
  { purpose, namespace }: Asked,
): Promise<Cnf | { readonly problem: string } | undefined> {
  const place = { namespace, scope: namespace === undefined ? everyNamespace : ownNamespace };
  try {
    return await findCnf(reader, purpose, place);
  } catch (error) {
    const hint =
      error instanceof AmbiguousCnfError ? ". If they are in different namespaces, enter NAMESPACE/PURPOSE" : "";
    return { problem: `${messageOf(error)}${hint}` };
  }
}

/** Maximum number of pods that are followed. */
const maxPods = 32;

/** The configuration that resources want on pods with the same networks. */
interface Wanted {
  readonly objects: ReadonlyMap<string, readonly UciObject[]>;
  readonly resources: readonly ResourceOnCnf[];
}

/** Returns the configuration that the resources want on a pod. The console sends no requests to CNFs. */
async function wantedOn(
  { reader }: OperatorView,
  pod: CnfPod,
  rules: readonly { readonly kind: CnfKind; readonly rule: DeepReadonly<RuleObject> }[],
): Promise<Wanted> {
  const view = cnfViewOf(reader, pod);
  const wanted: (ResourceOnCnf & { readonly object: UciObject })[] = [];
  for (const { kind, rule } of rules) {
    const name = kind.nameOnCnf(rule.metadata.name);
    try {
      orderOf(rule);
      wanted.push({ kind, rule, name, object: { name, ...(await kind.toUci(rule, view)) } });
    } catch {
      // A resource that cannot be converted is not on the CNF; its status contains the reason.
    }
  }
  const held = new Map<string, readonly UciObject[]>();
  for (const [path, all] of Map.groupBy(wanted, ({ kind }) => kind.path)) {
    const sorted = (of: typeof all, precedence: CnfKind["precedence"]) =>
      of.toSorted((a, b) => fileOrder(precedence)(orderOf(a.rule), orderOf(b.rule))).map(({ object }) => object);
    const [first] = all;
    const positioned = all.filter(({ kind, object }) => kind.hasPosition(object));
    const others = all.filter((each) => !positioned.includes(each));
    held.set(path, [
      ...sorted(positioned, first?.kind.positions?.precedence),
      ...sorted(others, first?.kind.precedence),
    ]);
  }
  return { objects: held, resources: wanted };
}
