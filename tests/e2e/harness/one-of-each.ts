import type { Cnf } from "./cnf.ts";
import type { RuleKindName, Spec } from "./rules.ts";
import { ruleScenarios } from "./scenarios.ts";

type Rule = readonly [kind: RuleKindName, name: string, spec: Spec];

/** A rule of every kind, and the objects they refer to, with dependents first, because the order must not matter. */
export const oneOfEach: readonly Rule[] = [
  ...new Map(
    ruleScenarios
      .flatMap(({ kind, name, spec, needs = [] }): Rule[] => [[kind, name, spec], ...needs])
      .map((rule) => [`${rule[0]} ${rule[1]}`, rule] as const),
  ).values(),
].reverse();

/** The objects on a CNF with these rules: sorted names by collection. */
export const heldOfEachKind: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...Map.groupBy(oneOfEach, ([kind]) => collectionOf(kind))].map(([path, rules]) => [
    path,
    rules.map(([, name]) => name).sort(),
  ]),
);

function collectionOf(kind: RuleKindName): string {
  return ruleScenarios.find((scenario) => scenario.kind === kind)?.collection ?? "";
}

/** Creates the rules, and resolves once all are in sync. */
export async function createEachKind(cnf: Cnf): Promise<void> {
  await Promise.all(oneOfEach.map((rule) => cnf.create(...rule)));
  await eachInSync(cnf);
}

export async function eachInSync(cnf: Cnf): Promise<void> {
  for (const [kind, name] of oneOfEach) await cnf.inSync(kind, name);
}
