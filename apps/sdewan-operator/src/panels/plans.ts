import { type DefinedKind, type Kind, keyOf, notFound } from "@kubewright/apimachinery";
import { kubeList, type Reader } from "@kubewright/client";
import { parseManifests } from "@kubewright/client/apply";
import { Pod, Secret, Service } from "@kubewright/client/kinds";
import type { Panel, PanelContent, PanelQuestion, PanelRow, PanelText, PanelTone } from "@kubewright/console";
import { purposeLabel } from "../api/group.ts";
import { IpsecHost, IpsecSite } from "../api/ipsec/ipsec-remotes.ts";
import { SdewanApplication } from "../api/sdewan-application.ts";
import { cnfPods } from "../cnf/cnf-pods.ts";
import { byPurpose } from "../cnf/indexes.ts";
import { compositeKinds } from "../composites/composite-kinds.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { confirmationText, type PlannedObject, type PlanReport } from "../plan/plan.ts";
import { PlanInputError, plannedKinds, plannedObjects } from "../plan/plan-files.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import { cnfsPanel, counted, linkTo, plansPanel } from "./cell.ts";
import { listable, noteOf, type OperatorView } from "./operator-view.ts";

const usage =
  "Enter or choose the manifests of resources to see what applying them would do. The plan reads the cluster and the CNFs, and writes nothing. " +
  "With only a purpose, it shows what the operator would do now.";
/** Limits of the manifests, which are checked before they are parsed. */
const maxBytes = 262_144;
const maxObjects = 200;
const maxDepth = 32;
const maxIndent = 64;
/** Maximum number of resources that a plan reconciles, and the same counted once for each pod. The operator does other work meanwhile. */
const maxResources = 400;
const maxWork = 2_000;

/** Kinds whose objects refer to other objects, which a plan reads. A viewer who may not list the other objects must not learn about them. */
const readsOf: ReadonlyMap<Kind, Kind> = new Map<Kind, Kind>([
  [IpsecHost, Secret],
  [IpsecSite, Secret],
  [SdewanApplication, Pod],
  ...compositeKinds.map(({ kind }): [Kind, Kind] => [kind, Service]),
]);

/** A plan as a viewer describes it. */
interface Asked {
  readonly objects: readonly PlannedObject[];
  readonly purpose: string | undefined;
  readonly notes: readonly string[];
}

/** Returns a panel that shows what the operator would do if manifests were applied. It makes one plan at a time. */
export function plans(operatorView: OperatorView): Panel {
  let isRunning = false;
  return {
    id: plansPanel,
    title: "What a change will do",
    columns: [
      { id: "where", title: "Where" },
      { id: "action", title: "Action" },
      { id: "object", title: "Object" },
      { id: "resource", title: "Resource" },
      { id: "message", title: "Message" },
    ],
    searches: true,
    form: [
      { title: "Manifests", example: "kind: FirewallRule", maxTextBytes: maxBytes, isOptional: true },
      { title: "Purpose", example: "edge7", isOptional: true },
      { title: "Label", example: "tier=web", isOptional: true },
    ],
    rows: async (question) => {
      if (question.text === undefined) return { note: usage, rows: [] };
      if (isRunning) return { note: "Another plan is in progress; try again in a few seconds.", rows: [] };
      isRunning = true;
      try {
        return await content(operatorView, question, question.text);
      } catch (error) {
        if (error instanceof PlanInputError) return { note: { text: error.message, tone: "bad" }, rows: [] };
        throw error;
      } finally {
        isRunning = false;
      }
    },
  };
}

async function content(operatorView: OperatorView, question: PanelQuestion, text: string): Promise<PanelContent> {
  const { leadership, reader } = operatorView;
  if (!leadership().leads) return { ...noteOf(operatorView), rows: [] };
  const hidden = await hiddenKinds(question);
  const required = ruleKinds.filter(({ kind }) => hidden.has(kind) && !readsOf.has(kind)).map(({ kind }) => kind.kind);
  if (required.length > 0) return { note: `A plan needs permission to list: ${required.join(", ")}.`, rows: [] };
  const { objects, purpose, notes } = askedIn(question.search, text, hidden);
  if (objects.length === 0 && purpose === undefined) return { note: [...notes, usage].join(" "), rows: [] };
  const live = without(reader, hidden);
  const purposes = new Set(purpose === undefined ? objects.flatMap(purposeIn) : [purpose]);
  const { rules, pods } = await workOf(live, purposes, objects.length);
  if (rules > maxResources || rules * pods > maxWork)
    throw new PlanInputError(
      `the plan concerns ${counted(rules, "resource")} on ${counted(pods, "pod")}; use sdewan-operator plan for more than ${maxResources}, or more than ${maxWork} on all pods`,
    );
  const report = await operatorView.plan({ live, objects, purpose });
  const names = [...hidden].map(({ kind }) => kind);
  const note = [
    summaryOf(report),
    ...notes,
    "The API server did not check the resources.",
    ...(names.length > 0
      ? [`Not part of the plan, because you may not list them or what they refer to: ${names.join(", ")}.`]
      : []),
  ];
  return { note: note.join(" "), rows: [...problemRows(report), ...resourceRows(report), ...podRows(report)] };
}

/** Returns the kinds that are not part of a viewer's plan. */
async function hiddenKinds(question: PanelQuestion): Promise<ReadonlySet<DefinedKind>> {
  const { shown } = await listable<Kind>([...plannedKinds, ...new Set(readsOf.values())], question);
  return new Set(
    plannedKinds.filter((kind) => {
      const other = readsOf.get(kind);
      return !shown.has(kind) || (other !== undefined && !shown.has(other));
    }),
  );
}

/** Returns a reader that has no objects of some kinds. */
const without = (reader: Reader, hidden: ReadonlySet<Kind>): Reader => ({
  get: async (kind, key) => {
    if (hidden.has(kind)) throw notFound({ group: kind.group, resource: kind.kind }, String(key));
    return reader.get(kind, key);
  },
  list: async (kind, options) =>
    hidden.has(kind) ? kubeList([], { resourceVersion: "" }) : reader.list(kind, options),
});

/** @throws {PlanInputError} for manifests or labels that cannot be planned */
function askedIn(search: string, text: string, hidden: ReadonlySet<DefinedKind>): Asked {
  const [purpose, label] = search.split(" ");
  let labels: Readonly<Record<string, string>> = {};
  if (label) {
    const [, key, value] = /^([^=]+)=(.*)$/.exec(label) ?? [];
    if (key === undefined || value === undefined)
      throw new PlanInputError(`the label ${JSON.stringify(label)} is not of the form name=value`);
    labels = Object.fromEntries([[key, value]]); // an assignment would ignore the key __proto__
  }
  const problem = tooLarge(text);
  if (problem !== undefined) throw new PlanInputError(problem);
  const { objects, ignored } = plannedObjects(parseManifests(text, "the manifests"), labels, maxObjects);
  const shown = objects.filter(({ kind }) => !hidden.has(kind));
  const others = [...ignored, ...objects.filter(({ kind }) => hidden.has(kind)).map(nameOf)];
  const names = others.slice(0, maxNames).join(", ");
  const more = others.length > maxNames ? ` and ${others.length - maxNames} more` : "";
  return {
    objects: shown,
    purpose: purpose || undefined,
    notes: others.length > 0 ? [`Not part of the plan: ${names}${more}.`] : [],
  };
}

const maxNames = 5;

const nameOf = ({ kind, object }: PlannedObject): string => `${kind.kind} ${keyOf(object)}`;
const purposeIn = ({ object: { metadata } }: PlannedObject): readonly string[] =>
  [metadata.labels?.[purposeLabel] ?? []].flat();

/** Returns why manifests are too large to be parsed, or undefined if they are not. */
function tooLarge(text: string): string | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) return `the manifests are ${bytes} bytes long; plan at most ${maxBytes} bytes at once`;
  const documents = text.match(/^---/gm)?.length ?? 0;
  if (documents > maxObjects) return `the manifests contain ${documents} documents; plan at most ${maxObjects} at once`;
  return isDeep(text) ? `the manifests are nested more than ${maxDepth} levels deep; remove levels` : undefined;
}

/** Estimates the nesting depth. Brackets inside strings are counted as well, but they are usually balanced. */
function isDeep(text: string): boolean {
  if (new RegExp(`^[ \\t]{${maxIndent + 1}}[^#\\s]|(?:[-?:][ \\t]+){${maxDepth}}`, "m").test(text)) return true;
  let depth = 0;
  for (const bracket of text.match(/[[\]{}]/g) ?? []) {
    depth = Math.max(0, depth + (bracket === "[" || bracket === "{" ? 1 : -1));
    if (depth > maxDepth) return true;
  }
  return false;
}

/** Returns the number of resources that a plan reconciles, and the number of pods that it reads. */
async function workOf(
  reader: Reader,
  purposes: ReadonlySet<string>,
  given: number,
): Promise<{ readonly rules: number; readonly pods: number }> {
  const kinds: readonly CnfKind[] = ruleKinds;
  let rules = given;
  for (const { kind } of kinds)
    for (const purpose of purposes) rules += (await reader.list(kind, { fields: { [byPurpose]: purpose } })).length;
  const pods = await cnfPods(reader);
  return { rules, pods: pods.filter(({ metadata }) => purposes.has(metadata.labels?.[purposeLabel] ?? "")).length };
}

function summaryOf({ resources, cnfs, problems }: PlanReport): string {
  const actions = Map.groupBy(resources, ({ action }) => action);
  const numbers = (["create", "change", "delete"] as const).map(
    (action) => `${actions.get(action)?.length ?? 0} to ${action}`,
  );
  const pods = cnfs.flatMap((cnf) => cnf.pods);
  const changed = pods.filter(({ changes }) => changes.length > 0).length;
  return `Resources: ${numbers.join(", ")}. Changes on ${changed} of ${counted(pods.length, "pod")}. ${counted(problems.length, "problem")}.`;
}

type Tones = Readonly<Record<string, PanelTone>>;
const tones: Tones = { refused: "bad", conflict: "bad", waiting: "warning", held: "warning", delete: "warning" };

const actionCell = (action: string): PanelText => ({ text: action, tone: tones[action] ?? "neutral" });

/** Returns a resource, with a link to its page if it exists. */
function resourceCell({ resources }: PlanReport, resource: string): PanelRow[string] {
  const [kind = ""] = resource.split(" ");
  const isNew = resources.some((each) => each.resource === resource && each.action === "create");
  const hasPage = ruleKinds.some((each) => each.kind.kind === kind);
  return isNew || !hasPage ? resource : { text: resource, ...linkTo(resource) };
}

const row = (where: PanelRow[string], action: string, more: PanelRow = {}): PanelRow => ({
  ...{ where, action: actionCell(action), object: "", resource: "", message: "" },
  ...more,
});

const problemRows = (report: PlanReport): readonly PanelRow[] =>
  report.problems.map(({ type, resource, message }) =>
    row("", type, { resource: resourceCell(report, resource), message }),
  );

const resourceRows = (report: PlanReport): readonly PanelRow[] =>
  report.resources.flatMap(({ action, resource }) =>
    action === "unchanged" ? [] : [row("cluster", action, { resource: resourceCell(report, resource) })],
  );

function podRows(report: PlanReport): readonly PanelRow[] {
  return report.cnfs.flatMap(({ cnf, pods }) =>
    pods.flatMap(({ pod, stage, unreachable, changes, restarts, rewrites, waits = [], confirmation }): PanelRow[] => {
      const text = stage === undefined ? pod : `${pod}, stage ${stage}`;
      const where = { text, to: { panel: cnfsPanel, row: pod } };
      if (unreachable !== undefined) return [row(where, "unreachable", { message: unreachable })];
      if (changes.length === 0 && restarts.length === 0) return [row(where, "no changes", { object: cnf })];
      const more = rewrites > 0 ? `${counted(rewrites, "more write")} to keep the order` : "";
      return [
        ...changes.map(({ action, path, name, resource, message = "", waitsForStage }) =>
          row(where, action, {
            object: `${path}/${name}`,
            resource: resource === undefined ? "" : resourceCell(report, resource),
            message: [message, waitsForStage === undefined ? "" : `waits for stage ${waitsForStage}`]
              .filter(Boolean)
              .join("; "),
          }),
        ),
        ...restarts.map((restart) => row(where, "restart", { object: restart, message: more })),
        ...waits.map(({ message }) => row(where, "waiting", { message })),
        ...(confirmation ? [row(where, "confirmation", { message: confirmationText(confirmation) })] : []),
      ];
    }),
  );
}
