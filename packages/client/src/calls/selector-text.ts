import type { FieldSelector, LabelSelector } from "@kubewright/apimachinery";
import type { FieldSelectorInput, LabelSelectorInput } from "../contract/reader.ts";

/** An unsatisfiable selector, for {@link LabelSelector.nothing}, whose own text would select everything. */
const unsatisfiable = "nothing,!nothing";

/** Returns the selector as the query parameter `labelSelector`; `undefined` selects everything. */
export function labelSelectorText(input: LabelSelectorInput | undefined): string | undefined {
  if (input === undefined || input === "") return undefined;
  if (typeof input === "string") return input;
  if (!isSelector(input)) return equalities(input) || undefined;
  if (input.isEmpty) return undefined;
  return input.toString() || unsatisfiable;
}

/** Returns the selector as the query parameter `fieldSelector`; `undefined` selects everything. */
export function fieldSelectorText(input: FieldSelectorInput | undefined): string | undefined {
  if (input === undefined) return undefined;
  if (typeof input === "string" || isSelector(input)) return input.toString() || undefined;
  return equalities(input, escapeFieldValue) || undefined;
}

const isSelector = <S extends LabelSelector | FieldSelector>(input: S | Readonly<Record<string, string>>): input is S =>
  "matches" in input && typeof input.matches === "function";

const equalities = (wanted: Readonly<Record<string, string>>, encode = (value: string): string => value): string =>
  Object.entries(wanted)
    .map(([name, value]) => `${name}=${encode(value)}`)
    .join(",");

/** @see apimachinery fields EscapeValue */
const escapeFieldValue = (value: string): string => value.replace(/[\\,=]/g, "\\$&");
