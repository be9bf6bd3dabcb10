import { stringify } from "yaml";
import { oneLine } from "../masking/mask.ts";
import type { Flow } from "../trace/flow.ts";
import { flowText, type Trace, traceOf, verdictText } from "../trace/trace.ts";
import type { TracedCnf } from "../trace/traced-cnf.ts";
import type { Finding } from "./comparison.ts";
import type { InspectFlags } from "./inspect-flags.ts";

/** The result of `diff` or `status` for one CNF. */
export interface Report {
  readonly purpose: string;
  readonly cnf: string;
  readonly resources: readonly {
    readonly resource: string;
    readonly state: string;
    /** Status of the resource's effect on packets: True, False or Unknown. Undefined if the operator has not determined the effect. */
    readonly effective?: string;
    /**
     * True if the last change to the resource was rolled back, so that the CNF keeps the confirmed object. Otherwise
     * undefined.
     */
    readonly held?: true;
    /**
     * Stage that must be in sync before the change to the resource reaches the next one. Undefined if the change is not
     * waiting.
     */
    readonly waitsForStage?: number;
    readonly message: string;
  }[];
  readonly pods: readonly {
    readonly pod: string;
    /** Stage of the pod's CNF. Undefined without stages. */
    readonly stage?: number;
    readonly objects?: readonly Finding[];
    readonly unreachable?: string;
  }[];
}

/** The result of `export`: resources to write. */
export interface ExportReport {
  readonly resources: readonly object[];
}

type Shown = Pick<InspectFlags, "command" | "output">;

/**
 * Formats a report. `diff` tables omit objects without differences; exported resources are always printed as YAML, even
 * for `table`.
 */
export function reportText(report: Report | ExportReport, { command, output }: Shown): string {
  if (!("pods" in report)) return exportText(report, output);
  if (output !== "table") return structured(report, output);
  const hasStages = report.pods.some(({ stage }) => stage !== undefined);
  const pods = report.pods.map(({ pod, stage = "", objects = [], unreachable }) => {
    const counts = [...Map.groupBy(objects, ({ verdict }) => verdict)].map(
      ([verdict, all]) => `${all.length} ${verdict}`,
    );
    const text = unreachable === undefined ? counts.join(", ") || "no objects" : `unreachable: ${unreachable}`;
    return [pod, ...(hasStages ? [String(stage)] : []), text];
  });
  if (command === "status") {
    const resources = report.resources.map(({ resource, state, effective = "", message }) => [
      resource,
      state,
      effective,
      message,
    ]);
    return `${columns(["RESOURCE", "STATE", "EFFECTIVE", "MESSAGE"], resources)}\n${columns(["POD", ...(hasStages ? ["STAGE"] : []), "OBJECTS"], pods)}`;
  }
  const rows = report.pods.flatMap(({ pod, objects = [], unreachable }) => [
    ...(unreachable === undefined ? [] : [[pod, "unreachable", "", "", unreachable]]),
    ...objects
      .filter(({ verdict }) => verdict !== "same")
      .map(({ path, name, verdict, resource = "", message = "" }) => [
        pod,
        verdict,
        `${path}/${name}`,
        resource,
        message,
      ]),
  ]);
  return columns(["POD", "VERDICT", "OBJECT", "RESOURCE", "MESSAGE"], rows);
}

/** Formats a report as JSON or YAML. */
export const structured = (report: object, output: "json" | "yaml"): string =>
  output === "json"
    ? `${JSON.stringify(report, undefined, 2)}\n`
    : stringify(report, { lineWidth: 0, compat: "yaml-1.1" });

function exportText({ resources }: ExportReport, output: InspectFlags["output"]): string {
  if (output === "json")
    return `${JSON.stringify({ apiVersion: "v1", kind: "List", items: resources }, undefined, 2)}\n`;
  return resources.map((each) => `---\n${stringify(each, { lineWidth: 0, compat: "yaml-1.1" })}`).join("");
}

/** The result of `trace` for one CNF. */
export interface TraceReport {
  readonly purpose: string;
  readonly cnf: string;
  readonly flow: string;
  /** Traces. Pods with the same trace share an entry. */
  readonly traces: readonly ({ readonly pods: readonly string[] } & (Trace | { readonly unreachable: string }))[];
}

/** A pod, with its known state or the reason why it does not respond. */
export interface TracedPod {
  readonly pod: string;
  readonly cnf: TracedCnf | { readonly unreachable: string };
}

/** Follows a flow through every pod of a CNF. */
export function traceReport(purpose: string, cnf: string, flow: Flow, pods: readonly TracedPod[]): TraceReport {
  const results = pods.map(({ pod, cnf: of }) => ({ pod, result: "unreachable" in of ? of : traceOf(of, flow) }));
  const groups = Map.groupBy(results, ({ result }) => JSON.stringify(result));
  const traces = [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ pods: group.map(({ pod }) => pod), ...first.result }] : [];
  });
  return { purpose, cnf, flow: flowText(flow), traces };
}

/** Formats a report as human-readable text. */
export function traceText({ flow, cnf, traces }: TraceReport): string {
  const parts = traces.map((trace) => {
    const title = `${trace.pods.join(", ")}:`;
    if ("unreachable" in trace) return `${title}\n  unreachable: ${trace.unreachable}\n`;
    const width = Math.max(0, ...trace.steps.map(({ stage }) => stage.length));
    const lines = [
      ...trace.steps.map(({ stage, text }) => `  ${stage.padEnd(width)}  ${text}`),
      `  => ${verdictText(trace)}`,
      ...listed("if", trace.conditions),
      ...listed("not known", trace.unknown),
    ];
    return `${title}\n${lines.map((line) => `${oneLine(line)}\n`).join("")}`;
  });
  const differ = traces.length > 1 ? "The pods differ.\n" : "";
  return `${flow} on ${cnf}\n${differ}\n${parts.join("\n")}`;
}

const listed = (title: string, texts: readonly string[]): readonly string[] =>
  texts.map((text) => `     ${title}: ${text}`);

/** Formats rows as aligned columns below a header. Each row is printed on one line, even if its texts contain line breaks. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows.map((row) => row.map(oneLine))];
  const widths = head.map((_, index) => all.reduce((width, row) => Math.max(width, (row[index] ?? "").length), 0));
  const lines = all.map((row) =>
    row
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}
