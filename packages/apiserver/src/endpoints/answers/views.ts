import type { ListMeta } from "@kubewright/apimachinery";
import type { ReadonlyObject, ServedResource } from "../../registry/resource.ts";
import type { TableColumn } from "../../registry/table-column.ts";
import { createdAtColumn, defaultColumns } from "../../registry/table-columns.ts";

/** What of an object a Table row carries beside its cells. */
export type IncludeObject = "Metadata" | "Object" | "None";

/** Metadata alone, as `PartialObjectMetadata`. */
export function partialObject(object: ReadonlyObject, version: string): unknown {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}

/** One row of a Table. @see apimachinery apis/meta/v1 TableRow */
export function tableRow(
  resource: ServedResource,
  object: ReadonlyObject,
  include: IncludeObject,
  version: string,
  nowMs: number,
): { readonly cells: readonly unknown[]; readonly object: unknown } {
  const cells = columnsOf(resource).map((column) => column.cell(object as never, nowMs));
  const shown = include === "None" ? null : include === "Object" ? object : partialObject(object, version);
  return { cells, object: shown };
}

/** A Table of rows. `columns: false` leaves the definitions out, as later frames of a watch do. */
export function table(
  resource: ServedResource,
  parts: {
    readonly version: string;
    readonly metadata: ListMeta;
    readonly rows: readonly unknown[];
    readonly columns: boolean;
  },
): unknown {
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${parts.version}`,
    metadata: parts.metadata,
    columnDefinitions: parts.columns ? columnsOf(resource).map(definitionOf) : null,
    rows: parts.rows.length === 0 && isUndescribed(resource) ? null : parts.rows,
  };
}

/** Kinds that upstream has no printer for: where they have no rows, there is no list of them either. */
const isUndescribed = (resource: ServedResource): boolean =>
  columnsOf(resource).length === 2 && columnsOf(resource)[1] === createdAtColumn;

const columnsOf = (resource: ServedResource): readonly TableColumn[] => resource.strategy.columns ?? defaultColumns;

const definitionOf = ({ name, type, format = "", description = "", priority = 0 }: TableColumn): unknown => ({
  name,
  type,
  format,
  description,
  priority,
});
