import { type DeepReadonly, type KubeObject, labelSelectorFrom } from "@kubewright/apimachinery";
import type { Predicate } from "./predicate.ts";

type SelectorSpec = Parameters<typeof labelSelectorFrom>[0];

/** Events of objects whose labels match. For updates the new object counts; without one, none match. */
export function labelSelectorMatches(selector: SelectorSpec): Predicate {
  const parsed = labelSelectorFrom(selector);
  return ({ object }) => Boolean(object) && parsed.matches(object.metadata.labels ?? {});
}

/** Events of objects that a function picks. For updates the new object counts. */
export const objectMatches =
  <T extends KubeObject = KubeObject>(matches: (object: DeepReadonly<T>) => boolean): Predicate<T> =>
  ({ object }) =>
    matches(object);
