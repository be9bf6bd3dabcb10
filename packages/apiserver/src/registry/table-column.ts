import type { KubeObject } from "@kubewright/apimachinery";

/** Value of one Table cell: JSON, printed by the client. @see apimachinery meta/v1 TableRow */
export type TableCell = string | number | boolean | null | readonly unknown[] | Readonly<Record<string, unknown>>;

/** One column of a kind's Table, with the function for its cells. */
export interface TableColumn<T extends KubeObject = KubeObject> {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** `name` for the first column; default "". */
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  /** 0 is always shown, 1 only by `-o wide`. Default 0. */
  readonly priority?: number | undefined;
  cell(object: T, nowMs: number): TableCell;
}
