import { type CnfReport, informationOf, type ModuleText, moduleText } from "./cnf-report.ts";

/** Maximum size of a status as JSON, in bytes. The limit for API objects is slightly higher. */
export const maxBytes = 900 * 1024;

/** Module that is omitted first: it is the least useful, and may be larger than an API object on its own. */
const firstOmitted = "conntrack";

interface Candidate {
  readonly report: number;
  readonly module: ModuleText;
  readonly bytes: number;
}

/**
 * Returns the reports, reduced to at most `limit` bytes as JSON. Omits as many modules as necessary: first the lists of
 * connections, then the other modules, the largest first. If that is not enough, omits entire reports, starting with
 * the CNFs with the most reports.
 */
export function fitted(reports: readonly CnfReport[], limit: number = maxBytes): readonly CnfReport[] {
  let excess = sizeOf(reports) - limit;
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

/**
 * Like {@link fitted}, but keeps each report at its position. Ignores missing reports. A report that does not fit is
 * included without its modules.
 */
export function fittedInPlace(
  reports: readonly (CnfReport | undefined)[],
  limit: number = maxBytes,
): readonly (CnfReport | undefined)[] {
  const present = reports.filter((report) => report !== undefined);
  const fit = new Map(fitted(present, limit).map((report) => [report.pod, report]));
  return reports.map((report) => report && (fit.get(report.pod) ?? { ...report, modules: [] }));
}

/**
 * Reduces the size if it is not enough to omit a few large modules. Shortens whole reports, the largest first, and then omits reports of
 * the CNFs with the most reports, so that no CNF displaces the others.
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
    const largest = byCnf.reduce((a, b) => (b.length >= a.length ? b : a), []);
    const last = largest.pop();
    if (last === undefined) break;
    excess -= sizeOf(left[last] ? [left[last]] : []);
    left[last] = undefined;
  }
  return left.filter((report) => report !== undefined);
}

const cnfOf = (report: CnfReport | undefined): string => `${report?.pod.namespace} ${report?.pod.purpose}`;

function byUrgency(a: Candidate, b: Candidate): number {
  const [isFirstA, isFirstB] = [a.module.name === firstOmitted, b.module.name === firstOmitted];
  if (isFirstA !== isFirstB) return isFirstA ? -1 : 1;
  return b.bytes - a.bytes || a.report - b.report;
}

const sizeOf = (reports: readonly CnfReport[]): number =>
  reports.reduce((sum, report) => sum + Buffer.byteLength(JSON.stringify(informationOf(report))) + 1, 0);

/** Returns the length of a string inside a JSON document. */
const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** Returns the length of the module's status, without the object around it. */
const statusBytes = ({ name, text }: ModuleText): number =>
  Buffer.byteLength(text) - Buffer.byteLength(JSON.stringify({ name, status: 0 })) + 1;
