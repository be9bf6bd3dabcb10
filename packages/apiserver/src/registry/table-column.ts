import type { KubeObject } from "@kubewright/apimachinery";

/** Value of a cell in a Table: JSON, which the client prints. @see apimachinery meta/v1 TableRow */
export type TableCell = string | number | boolean | null | readonly unknown[] | Readonly<Record<string, unknown>>;

/** A column of a kind's Table, with the function for its cells. */
export interface TableColumn<T extends KubeObject = KubeObject> {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** Format of the column: `name` for the first column. Default: empty. */
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  /** Priority of the column: 0 is always shown, and 1 only with `-o wide`. Default 0. */
  readonly priority?: number | undefined;
  cell(object: T, nowMs: number): TableCell;
}
