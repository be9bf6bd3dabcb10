import { type Aspect, answers, nobody, unreachable } from "../tell/standing.ts";
import type { ExistingChild } from "./existing-children.ts";

/** Reports whether the CNF of a composite responds, according to its children. */
export function reachableBy(children: readonly ExistingChild[]): Aspect {
  const said = children.flatMap(
    ({ object }) => object.status?.conditions?.find(({ type }) => type === "Reachable") ?? [],
  );
  const failed = said.find(({ status }) => status === "False");
  if (failed) return unreachable(failed.message);
  return said.some(({ status }) => status === "True") ? answers : nobody;
}
