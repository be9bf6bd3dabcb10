import type { CnfInformation } from "../api/cnf-status.ts";
import { type Aspect, answers, inForce, nobody, type Standing, unreachable } from "../tell/standing.ts";
import { notAvailable } from "./cnf-report.ts";

/** Maximum number of pods named in a condition. */
const mostNamed = 5;

/** Returns the conditions of a CNFStatus that was just written: it is up to date, and all CNFs respond or some do not. */
export const standingOf = (information: readonly CnfInformation[]): Standing => ({
  ready: inForce,
  reachable: reachableIn(information),
});

function reachableIn(information: readonly CnfInformation[]): Aspect {
  if (information.length === 0) return nobody;
  const silent = information.filter(({ status }) => status === notAvailable);
  if (silent.length === 0) return answers;
  const names = silent.slice(0, mostNamed).map(({ namespace, name }) => `${namespace}/${name}`);
  const others = silent.length > mostNamed ? ` and ${silent.length - mostNamed} more` : "";
  return unreachable(`${silent.length} of ${information.length} CNF pods do not respond: ${names.join(", ")}${others}`);
}
