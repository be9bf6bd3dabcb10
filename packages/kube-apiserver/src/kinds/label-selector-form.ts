import type { LabelSelectorSpec } from "@kubewright/apimachinery";

/** A map as Go prints it: by its keys. */
export const sortedMap = <T>(map: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));

/** A label selector as errors show it: a key and an operator are always printed, labels by their keys. */
export function shownSelector(selector: LabelSelectorSpec | null | undefined): unknown {
  if (!selector) return null;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return {
    ...(Object.keys(matchLabels).length > 0 ? { matchLabels: sortedMap(matchLabels) } : {}),
    ...(matchExpressions.length > 0
      ? {
          matchExpressions: matchExpressions.map((expression) => {
            const { key = "", operator = "", values = [] } = expression as Partial<typeof expression>;
            return { key, operator, ...(values.length > 0 ? { values } : {}) };
          }),
        }
      : {}),
  };
}
