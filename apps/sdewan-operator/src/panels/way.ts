import { type DeepReadonly, ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import type { PanelDetail, PanelPart, PanelQuestion, PanelText } from "@kubewright/console";
import { isPaused } from "../api/pause.ts";
import { messageOf } from "../cnf/cnf-error.ts";
import { cnfViewOf } from "../cnf/cnf-view.ts";
import { type Cnf, findCnf } from "../cnf/discovery.ts";
import type { HeldState } from "../cnf/session/held-objects.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { Masks } from "../masking/purpose-masks.ts";
import { referencesOf } from "../secrets/references.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import type { UciObject } from "../uci/uci-object.ts";
import { counted } from "./cell.ts";
import { type CnfPod, podCell, reachableOf } from "./cnf-state.ts";
import { listable, noteOf, type OperatorView, omittedText } from "./operator-view.ts";
import { effectCell, purposeOf, reasonOf, stateCell } from "./rule-list.ts";
import { hidden, homeOf, uciSections } from "./uci-sections.ts";

type Rule = DeepReadonly<RuleObject>;

/** One resource and its path to the pods. */
interface Way {
  readonly kind: CnfKind;
  readonly rule: Rule;
  readonly cnf: Cnf | undefined;
  /** Reason why the resource has no CNF. */
  readonly problem: string | undefined;
  /** Removes secrets from a string. */
  readonly mask: (text: string) => string;
}

/**
 * Returns the page about one resource, or undefined if the resource does not exist. @param row ID such as
 * `FirewallRule/default/web`
 */
export async function wayOf(
  operatorView: OperatorView,
  row: string,
  question: PanelQuestion,
): Promise<PanelDetail | undefined> {
  const [, kindName, key = ""] = /^([A-Za-z0-9]+)\/([^/]+\/[^/]+)$/.exec(row) ?? [];
  const kinds: readonly CnfKind[] = ruleKinds;
  const kind = kinds.find((each) => each.kind.kind === kindName);
  if (!kind) return undefined;
  const { omitted } = await listable([kind.kind], question, key.split("/")[0]);
  if (omitted.length > 0) return { title: row, parts: [{ type: "text", text: omittedText(omitted) }] };
  const rule: Rule | undefined = await operatorView.reader.get(kind.kind, key).catch(ignoreNotFound);
  if (!rule) return undefined;
  const mask = await new Masks(operatorView).of(purposeOf(rule));
  const way = { kind, rule, mask, ...(await cnfOf(operatorView, rule)) };
  const { group, version, plural: resource } = kind.kind;
  const { namespace = "", name } = rule.metadata;
  const isShown = await question.mayGet({ group, version, resource, namespace, name });
  return {
    title: `${kind.kind.kind} ${key}`,
    parts: [
      ...notes(operatorView),
      facts(way),
      steps(way, operatorView),
      pods(way, operatorView),
      ...(isShown
        ? await options(way, operatorView)
        : [{ type: "text", text: "Options are hidden, because you may not get this object." } as const]),
    ],
  };
}

const notes = (operatorView: OperatorView): readonly PanelPart[] =>
  Object.values(noteOf(operatorView)).map((text) => ({ type: "text", text }));

async function cnfOf({ reader, scope }: OperatorView, rule: Rule): Promise<Pick<Way, "cnf" | "problem">> {
  const purpose = purposeOf(rule);
  if (!purpose) return { cnf: undefined, problem: "it does not have the label sdewanPurpose" };
  try {
    const cnf = await findCnf(reader, purpose, { namespace: rule.metadata.namespace, scope });
    return { cnf, problem: cnf ? undefined : `no CNF has the purpose ${purpose}` };
  } catch (error) {
    return { cnf: undefined, problem: messageOf(error) };
  }
}

function facts({ rule, mask }: Way): PanelPart {
  const { state, appliedTime, appliedGeneration } = rule.status ?? {};
  const message = reasonOf(rule);
  const appliedMs = Date.parse(appliedTime ?? "");
  return {
    type: "facts",
    facts: [
      { name: "State", value: isPaused(rule) ? { text: `${state ?? ""} (paused)`, tone: "neutral" } : stateCell(rule) },
      { name: "Effective", value: effectCell(rule) },
      ...(message ? [{ name: "Message", value: mask(message) }] : []),
      { name: "Last applied", value: Number.isFinite(appliedMs) ? { text: "", atMs: appliedMs } : "never" },
      { name: "Generation", value: rule.metadata.generation ?? "" },
      { name: "Applied generation", value: appliedGeneration ?? "none" },
    ],
  };
}

function steps({ kind, rule, cnf, problem }: Way, operatorView: OperatorView): PanelPart {
  const { config, type } = homeOf(kind);
  const name = kind.nameOnCnf(rule.metadata.name);
  const all = cnf?.pods ?? [];
  const held = all.filter((pod) => podState(operatorView, kind, rule, pod) === "held").length;
  const holding: PanelText = {
    text: `${held} of ${counted(all.length, "pod")}`,
    tone: all.length > 0 && held === all.length ? "good" : "warning",
  };
  const key = keyOf(rule);
  return {
    type: "way",
    title: "Path to the CNF",
    steps: [
      {
        name: "Resource",
        value: { text: `${kind.kind.kind} ${key}`, to: { controller: kind.kind.kind.toLowerCase(), key } },
      },
      {
        name: "Purpose",
        value: purposeOf(rule) || "none",
        note: cnf ? `Deployment ${keyOf(cnf.deployment)}` : (problem ?? ""),
      },
      { name: "REST collection", value: `sdewan/${kind.path}`, note: name },
      { name: "UCI section", value: `config ${type} ${kind.namedSections ? `'${name}'` : ""}`, note: `in ${config}` },
      {
        name: "Applied by",
        value: kind.service ? `${kind.service.action} of ${kind.service.name}` : "at once",
      },
      { name: "Pods with it", value: holding },
    ],
  };
}

const podState = ({ sessions }: OperatorView, kind: CnfKind, { metadata }: Rule, pod: CnfPod): HeldState | undefined =>
  sessions()
    .get(pod.metadata.uid ?? "")
    ?.stateOf(kind.path, kind.nameOnCnf(metadata.name));

const held: Readonly<Record<HeldState, PanelText>> = {
  held: { text: "in force", tone: "good" },
  written: { text: "written, restart pending", tone: "warning" },
  missing: { text: "missing", tone: "bad" },
  changed: { text: "changed by others", tone: "warning" },
  displaced: { text: "moved by others", tone: "warning" },
  absent: { text: "absent", tone: "neutral" },
};

function pods({ kind, rule, cnf, mask }: Way, operatorView: OperatorView): PanelPart {
  const failures = operatorView.failures.of({ kind: kind.kind.kind, key: keyOf(rule) });
  return {
    type: "table",
    title: "Pods",
    none: "No pods.",
    columns: [
      { id: "pod", title: "Pod" },
      { id: "state", title: "State" },
      { id: "reachable", title: "Reachable" },
      { id: "error", title: "Last error" },
    ],
    rows: (cnf?.pods ?? []).map((pod) => {
      const failure = failures.get(pod.metadata.uid ?? "");
      const state = podState(operatorView, kind, rule, pod);
      const known: PanelText = state ? held[state] : { text: "not checked yet", tone: "neutral" };
      const isFailing = failure !== undefined && state !== "held";
      return {
        pod: podCell(pod),
        state: isFailing ? { text: "failed", tone: "bad" } : known,
        reachable: reachableOf(operatorView, pod),
        error: failure ? { text: mask(failure.message), atMs: failure.atMs } : "",
      };
    }),
  };
}

const maxValueLength = 120;

const cut = (text: string): string =>
  text.length > maxValueLength ? `${text.slice(0, maxValueLength).toWellFormed()}…` : text;

/**
 * Returns the objects on the CNF to which a spec is converted, separately for each pod if they differ. Hides keys, and does not read keys
 * in Secrets.
 */
async function options(way: Way, operatorView: OperatorView): Promise<readonly PanelPart[]> {
  const { cnf } = way;
  if (!cnf) return [{ type: "text", text: "Without a CNF, the sections are unknown." }];
  if (cnf.pods.length === 0) return [await optionsOn(undefined, way, operatorView)];
  const parts = await Promise.all(cnf.pods.map((pod) => optionsOn(pod, way, operatorView)));
  const alike = [...Map.groupBy(parts.entries(), ([, part]) => JSON.stringify(part)).values()];
  return alike.slice(0, maxOutcomes).flatMap((of): PanelPart[] => {
    const [first] = of;
    if (!first) return [];
    const names = of.slice(0, maxNames).map(([index]) => cnf.pods[index]?.metadata.name ?? "");
    const more = of.length > names.length ? ` and ${of.length - names.length} more` : "";
    const on: PanelPart = { type: "text", text: `On ${names.join(", ")}${more}:` };
    return alike.length > 1 ? [on, first[1]] : [first[1]];
  });
}

const maxOutcomes = 8;
const maxNames = 5;

async function optionsOn(
  pod: CnfPod | undefined,
  { kind, rule, mask }: Way,
  operatorView: OperatorView,
): Promise<PanelPart> {
  const shown = (text: string): string => cut(mask(text));
  let desired: UciObject;
  try {
    desired = {
      name: kind.nameOnCnf(rule.metadata.name),
      ...(await kind.toUci(rule, cnfViewOf(operatorView.reader, pod))),
    };
  } catch (error) {
    return { type: "text", text: { text: `No sections: ${shown(messageOf(error))}`, tone: "bad" } };
  }
  const referred = Object.fromEntries(referencesOf(kind, rule).map(({ field }) => [field, hidden]));
  const rows = uciSections(kind, { ...desired, ...referred }).flatMap(({ config, type, name, options: all }) =>
    all.map(([option, value]) => ({
      section: `${config}.${name === undefined ? `@${type}` : `${shown(name)} (${type})`}`,
      option,
      value: shown(value),
    })),
  );
  return {
    type: "table",
    title: "UCI sections and their options",
    columns: [
      { id: "section", title: "Section" },
      { id: "option", title: "Option" },
      { id: "value", title: "Value" },
    ],
    rows,
  };
}
