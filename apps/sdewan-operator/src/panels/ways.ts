import { keyOf } from "@kubewright/apimachinery";
import type { Panel, PanelAttention, PanelContent, PanelQuestion } from "@kubewright/console";
import { State } from "../api/status.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { Masks } from "../masking/purpose-masks.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import { waysPanel } from "./cell.ts";
import { listable, noteOf, type OperatorView } from "./operator-view.ts";
import { effectCell, foundRules, isNotInForce, purposeOf, reasonOf, stateCell } from "./rule-list.ts";
import { homeOf } from "./uci-sections.ts";
import { wayOf } from "./way.ts";

const maxRows = 200;
/** Maximum number of resources on the overview that are not in force. */
const maxAttention = 20;

/** Returns a panel that shows how each resource gets from Kubernetes to a section in a CNF's configuration. */
export function ways(operatorView: OperatorView): Panel {
  return {
    id: waysPanel,
    title: "From resource to CNF",
    columns: [
      { id: "resource", title: "Resource" },
      { id: "purpose", title: "Purpose" },
      { id: "state", title: "State" },
      { id: "effect", title: "Effective" },
      { id: "section", title: "Configuration" },
      { id: "message", title: "Message" },
    ],
    searches: true,
    rows: (question) => rows(operatorView, question),
    detail: (row, question) => wayOf(operatorView, row, question),
    attention: (question) => notInForce(operatorView, question),
    about: ({ controller, key }) => {
      const kind = ruleKinds.find(({ kind: { kind } }) => kind.toLowerCase() === controller);
      return kind && `${kind.kind.kind}/${key}`;
    },
  };
}

async function rows(operatorView: OperatorView, question: PanelQuestion): Promise<PanelContent> {
  const { shown: kinds, omitted } = await listable(
    (ruleKinds as readonly CnfKind[]).map(({ kind }) => kind),
    question,
  );
  const words = question.search.toLowerCase().split(/\s+/).filter(Boolean);
  const { rules, total } = await foundRules(operatorView.reader, {
    matches: (rule, kind) => {
      if (words.length === 0) return true;
      const text = `${kind.kind.kind} ${keyOf(rule)} ${purposeOf(rule)} ${stateCell(rule).text} ${kind.path}`;
      return words.every((word) => text.toLowerCase().includes(word));
    },
    kinds,
    limit: maxRows,
  });
  const masks = new Masks(operatorView);
  const shown = rules.map(async ({ kind, rule, id, name }) => ({
    resource: { text: `${kind.kind.kind} ${name}`, to: { panel: waysPanel, row: id } },
    purpose: purposeOf(rule),
    state: stateCell(rule),
    effect: effectCell(rule),
    section: sectionText(kind, rule.metadata.name),
    message: (await masks.of(purposeOf(rule)))(reasonOf(rule)),
  }));
  return { ...noteOf(operatorView, omitted), total, rows: await Promise.all(shown) };
}

/** Returns the resources that are not in force although the operator has handled them, with the reasons. */
async function notInForce(
  operatorView: OperatorView,
  question: Omit<PanelQuestion, "search">,
): Promise<readonly PanelAttention[]> {
  const all = (ruleKinds as readonly CnfKind[]).map(({ kind }) => kind);
  const { shown: kinds } = await listable(all, question);
  const { rules } = await foundRules(operatorView.reader, { matches: isNotInForce, kinds, limit: maxAttention });
  const masks = new Masks(operatorView);
  return Promise.all(
    rules.map(async ({ kind, rule, id, name }) => {
      const message = (await masks.of(purposeOf(rule)))(rule.status?.message ?? "");
      const isRetried = rule.status?.state === State.applying || rule.status?.state === State.deleting;
      return {
        tone: isRetried ? ("warning" as const) : ("bad" as const),
        text: `${kind.kind.kind} ${name} is not in force: ${message}`,
        to: { panel: waysPanel, row: id },
      };
    }),
  );
}

/** Returns a section, such as `firewall: config zone wan`. */
function sectionText(kind: CnfKind, name: string): string {
  const { config, type } = homeOf(kind);
  return `${config}: config ${type} ${kind.nameOnCnf(name)}`;
}
