import { type CnfReport, informationOf, type ModuleText, moduleText } from "./cnf-report.ts";

/** What a status may hold, as JSON: an object of the API may be a bit larger. */
export const mostBytes = 900 * 1024;

/** The module that may be larger than an API object on its own, and tells least. */
const firstToGo = "conntrack";

interface Candidate {
  readonly report: number;
  readonly module: ModuleText;
  readonly bytes: number;
}

/**
 * The reports, with as many modules left out as it takes to have no more than `most` bytes as JSON: of connections first, then of
 * all else, the largest first. Where that is not enough, whole reports go, of who has the most.
 */
export function fitted(reports: readonly CnfReport[], most: number = mostBytes): readonly CnfReport[] {
  let excess = sizeOf(reports) - most;
  if (excess <= 0) return reports;
  const candidates = reports.flatMap(({ modules = [] }, report) =>
    modules.map((module): Candidate => ({ report, module, bytes: bytesOf(module.text) })),
  );
  const omitted = new Map<ModuleText, ModuleText>();
  for (const { module, bytes } of candidates.toSorted(byUrgency)) {
    if (excess <= 0) break;
    const short = moduleText({ name: module.name, status: `omitted, ${statusBytes(module)} bytes` });
    if (bytesOf(short.text) >= bytes) continue;
    omitted.set(module, short);
    excess -= bytes - bytesOf(short.text);
  }
  const left = reports.map(({ pod, modules }) => ({
    pod,
    modules: modules?.map((module) => omitted.get(module) ?? module),
  }));
  return excess > 0 ? withoutLargest(left, excess) : left;
}

/** {@link fitted}, with each report in its place: those that are not there yet left out of the account, those that went without modules. */
export function fittedInPlace(
  reports: readonly (CnfReport | undefined)[],
  most: number = mostBytes,
): readonly (CnfReport | undefined)[] {
  const there = reports.filter((report) => report !== undefined);
  const fit = new Map(fitted(there, most).map((report) => [report.pod, report]));
  return reports.map((report) => report && (fit.get(report.pod) ?? { ...report, modules: [] }));
}

/**
 * What is still too much is not made of a few large modules: whole reports are cut, the largest first, and then left out, of CNFs with the most
 * of them, so that none keeps those of the others out.
 */
function withoutLargest(reports: readonly CnfReport[], tooMuch: number): readonly CnfReport[] {
  let excess = tooMuch;
  const left: (CnfReport | undefined)[] = [...reports];
  const sizes = reports.map((report) => sizeOf([report]));
  for (const index of [...sizes.keys()].sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0))) {
    const report = reports[index];
    if (excess <= 0 || !report) break;
    const bytes = report.modules?.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    const cut = { pod: report.pod, modules: [moduleText({ name: "all", status: `omitted, ${bytes} bytes` })] };
    const saved = (sizes[index] ?? 0) - sizeOf([cut]);
    if (bytes === undefined || saved <= 0) continue;
    left[index] = cut;
    excess -= saved;
  }
  const byCnf = [...Map.groupBy(left.keys(), (index) => cnfOf(left[index])).values()];
  while (excess > 0) {
    const most = byCnf.reduce((a, b) => (b.length >= a.length ? b : a), []);
    const last = most.pop();
    if (last === undefined) break;
    excess -= sizeOf(left[last] ? [left[last]] : []);
    left[last] = undefined;
  }
  return left.filter((report) => report !== undefined);
}

const cnfOf = (report: CnfReport | undefined): string => `${report?.pod.namespace} ${report?.pod.purpose}`;

function byUrgency(a: Candidate, b: Candidate): number {
  const [goesA, goesB] = [a.module.name === firstToGo, b.module.name === firstToGo];
  if (goesA !== goesB) return goesA ? -1 : 1;
  return b.bytes - a.bytes || a.report - b.report;
}

const sizeOf = (reports: readonly CnfReport[]): number =>
  reports.reduce((sum, report) => sum + Buffer.byteLength(JSON.stringify(informationOf(report))) + 1, 0);

/** What it takes inside a text of a JSON document. */
const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** What the status itself was, without the object around it. */
const statusBytes = ({ name, text }: ModuleText): number =>
  Buffer.byteLength(text) - Buffer.byteLength(JSON.stringify({ name, status: 0 })) + 1;
