import { type KubeObject, type LabelSelectorSpec, labelSelectorFrom } from "@kubewright/apimachinery";
import type { TableCell, TableColumn } from "@kubewright/apiserver/registry";
import type { Container } from "./pod/pod-types.ts";

interface ColumnOptions {
  /** Type of the cells. Default `string`. */
  readonly type?: TableColumn["type"];
  /** True if the column is shown only with `-o wide`. */
  readonly wide?: boolean;
}

/** Returns the definition of a Table column. */
export function column<T extends KubeObject>(
  name: string,
  cell: (object: T, nowMs: number) => TableCell,
  options: ColumnOptions = {},
): TableColumn<T> {
  return { name, type: options.type ?? "string", ...(options.wide ? { priority: 1 } : {}), cell };
}

/** Formats labels as text such as `a=b,c=d`, or `<none>` if there are none. */
export function labelsCell(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length > 0 ? pairs.sort().join(",") : "<none>";
}

/** Formats a selector as text: `<none>` if it is empty, and `<error>` if it is not valid. */
export function selectorCell(selector: LabelSelectorSpec | undefined): string {
  try {
    return labelSelectorFrom(selector).toString() || "<none>";
  } catch {
    return "<error>";
  }
}

/** Returns the Containers and Images columns for kinds with containers. */
export function containerColumns<T extends KubeObject>(
  containersOf: (object: T) => readonly Container[] | undefined,
  options: ColumnOptions = { wide: true },
): TableColumn<T>[] {
  const joined = (object: T, part: "name" | "image"): string =>
    (containersOf(object) ?? []).map((container) => container[part] ?? "").join(",");
  return [
    column<T>("Containers", (object) => joined(object, "name"), options),
    column<T>("Images", (object) => joined(object, "image"), options),
  ];
}

/** Formats the first three values, and the number of remaining ones. */
export function firstThree(items: readonly string[]): string {
  if (items.length === 0) return "<unset>";
  const shown = items.slice(0, 3).join(",");
  return items.length > 3 ? `${shown} + ${items.length - 3} more...` : shown;
}
