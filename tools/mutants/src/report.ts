import type { Equivalent } from "./equivalent.ts";
import type { Verdict } from "./examination.ts";
import type { Mutant } from "./mutants.ts";

interface Excused {
  readonly mutant: Mutant;
  readonly reason: string;
}

export interface Report {
  readonly seed: string;
  readonly verdicts: readonly Verdict[];
  readonly excused: readonly Excused[];
  /** Entries of `equivalent.txt` that no longer match a mutant. */
  readonly stale: readonly Equivalent[];
  /** Tests that failed twice without a mutant and were skipped. */
  readonly red: readonly string[];
}

/** Returns for example `caught 41 of 50 (82 %)`; mutants that were not tried with all their tests are not counted. */
export function scoreLine({ verdicts }: Report): string {
  const counted = (wanted: Verdict["result"]): number => verdicts.filter(({ result }) => result === wanted).length;
  const tried = verdicts.filter(({ result }) => result !== "untried" && result !== "cut short");
  const timeouts = counted("timeout");
  const caught = tried.length - counted("survived");
  const share = tried.length === 0 ? "" : ` (${Math.floor((100 * caught) / tried.length)} %)`;
  const [cutShort, untried] = [counted("cut short"), counted("untried")];
  return [
    `caught ${caught} of ${tried.length}${share}`,
    ...(timeouts > 0 ? [`${timeouts} of them by timeout`] : []),
    ...(cutShort > 0 ? [`${cutShort} cut short`] : []),
    ...(untried > 0 ? [`${untried} not tried because time ran out`] : []),
  ].join(", ");
}

export function linesOf(report: Report): readonly string[] {
  const named = (result: Verdict["result"], word: string): readonly string[] =>
    report.verdicts.filter((each) => each.result === result).map(({ mutant }) => `${word}: ${describe(mutant)}`);
  return [
    ...named("survived", "survived"),
    ...report.verdicts.flatMap(({ mutant, files }) => (files ? [`${cutShortText(files)}: ${describe(mutant)}`] : [])),
    ...named("untried", "not tried"),
    ...report.excused.map(({ mutant, reason }) => `equivalent: ${describe(mutant)}: ${reason}`),
    ...report.stale.map(({ path, before }) => `equivalent.txt: no mutant matches ${path}: ${before}`),
    ...report.red.map((test) => `skipped because it fails without a mutant: ${test}`),
    scoreLine(report),
  ];
}

export const cutShortText = ({ shown, of }: NonNullable<Verdict["files"]>): string =>
  `cut short, ${shown} of ${of} test files`;

export function jsonOf(report: Report): string {
  const plain = ({ text: _, ...mutant }: Mutant) => mutant;
  const verdicts = report.verdicts.map(({ mutant, ...rest }) => ({ ...plain(mutant), ...rest }));
  const excused = report.excused.map(({ mutant, reason }) => ({ ...plain(mutant), reason }));
  return JSON.stringify({ ...report, verdicts, excused, score: scoreLine(report) }, undefined, 2);
}

export function describe({ path, line, before, after }: Mutant): string {
  return `${path}:${line}  ${before} → ${after}`;
}
