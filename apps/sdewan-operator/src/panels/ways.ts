import { keyOf } from "@kubewright/apimachinery";
import type { Panel, PanelContent, PanelQuestion } from "@kubewright/console";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { Masks } from "../masking/purpose-masks.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import { waysPanel } from "./cell.ts";
import { listable, noteOf, type OperatorView } from "./operator-view.ts";
import { effectCell, foundRules, purposeOf, reasonOf, stateCell } from "./rule-list.ts";
import { homeOf } from "./uci-sections.ts";
import { wayOf } from "./way.ts";

const maxRows = 200;

/** Returns a panel with the path of every resource from Kubernetes to a section of a CNF's configuration. */
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

/** Returns a section, such as `firewall: config zone wan`. */
function sectionText(kind: CnfKind, name: string): string {
  const { config, type } = homeOf(kind);
  return `${config}: config ${type} ${kind.nameOnCnf(name)}`;
}
