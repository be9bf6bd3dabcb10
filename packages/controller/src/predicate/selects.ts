import { type DeepReadonly, type KubeObject, labelSelectorFrom } from "@kubewright/apimachinery";
import type { Predicate } from "./predicate.ts";

type SelectorSpec = Parameters<typeof labelSelectorFrom>[0];

/** Accepts events of objects whose labels match. For updates, the new object counts; without one, the event is rejected. */
export function labelSelectorMatches(selector: SelectorSpec): Predicate {
  const parsed = labelSelectorFrom(selector);
  return ({ object }) => Boolean(object) && parsed.matches(object.metadata.labels ?? {});
}

/** Accepts events of objects that a function selects. For updates, the new object counts. */
export const objectMatches =
  <T extends KubeObject = KubeObject>(matches: (object: DeepReadonly<T>) => boolean): Predicate<T> =>
  ({ object }) =>
    matches(object);
