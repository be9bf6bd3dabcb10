import { stringify } from "yaml";
import type { Finding } from "./comparison.ts";
import type { InspectFlags } from "./inspect-flags.ts";

/** The result of `diff` or `status` for one CNF. */
export interface Report {
  readonly purpose: string;
  readonly cnf: string;
  readonly resources: readonly {
    readonly resource: string;
    readonly state: string;
    /** True, False or Unknown: whether the resource has an effect on packets. Undefined if the operator has not determined it. */
    readonly effective?: string;
    readonly message: string;
  }[];
  readonly pods: readonly {
    readonly pod: string;
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
 * Returns the text of a report. Tables of `diff` omit objects without differences; exported resources are printed as YAML even for `table`.
 */
export function reportText(report: Report | ExportReport, { command, output }: Shown): string {
  if (!("pods" in report)) return exportText(report, output);
  if (output === "json") return `${JSON.stringify(report, undefined, 2)}\n`;
  if (output === "yaml") return stringify(report, { lineWidth: 0, compat: "yaml-1.1" });
  const pods = report.pods.map(({ pod, objects = [], unreachable }) => {
    const counts = [...Map.groupBy(objects, ({ verdict }) => verdict)].map(
      ([verdict, all]) => `${all.length} ${verdict}`,
    );
    return [pod, unreachable === undefined ? counts.join(", ") || "no objects" : `unreachable: ${unreachable}`];
  });
  if (command === "status") {
    const resources = report.resources.map(({ resource, state, effective = "", message }) => [
      resource,
      state,
      effective,
      message,
    ]);
    return `${columns(["RESOURCE", "STATE", "EFFECTIVE", "MESSAGE"], resources)}\n${columns(["POD", "OBJECTS"], pods)}`;
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

function exportText({ resources }: ExportReport, output: InspectFlags["output"]): string {
  if (output === "json")
    return `${JSON.stringify({ apiVersion: "v1", kind: "List", items: resources }, undefined, 2)}\n`;
  return resources.map((each) => `---\n${stringify(each, { lineWidth: 0, compat: "yaml-1.1" })}`).join("");
}

/** Formats rows as aligned columns below a header. */
function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, index) => Math.max(...all.map((row) => (row[index] ?? "").length)));
  const lines = all.map((row) =>
    row
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}
