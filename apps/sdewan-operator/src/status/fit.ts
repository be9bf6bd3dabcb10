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
 * all else, the largest first. Where that is not enough, the last reports go.
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
  while (excess > 0) {
    const last = left.pop();
    if (!last) break;
    excess -= sizeOf([last]);
  }
  return left;
}

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
