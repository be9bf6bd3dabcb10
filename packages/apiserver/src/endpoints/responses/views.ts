import type { ListMeta } from "@kubewright/apimachinery";
import type { ReadonlyObject, ServedResource } from "../../registry/resource.ts";
import type { TableColumn } from "../../registry/table-column.ts";
import { createdAtColumn, defaultColumns } from "../../registry/table-columns.ts";

/** The part of the object that a Table row contains in addition to its cells. */
export type IncludeObject = "Metadata" | "Object" | "None";

/** Returns the metadata of an object as `PartialObjectMetadata`. */
export function partialObject(object: ReadonlyObject, version: string): unknown {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}

/** Returns the row for an object in a Table. @see apimachinery apis/meta/v1 TableRow */
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

/**
 * Returns a Table with the given rows. With `columns: false`, the Table contains no column definitions, because a watch
 * sends them only with its first event.
 */
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

/**
 * Reports whether upstream has no printer for a kind. If a Table for such a kind has no rows, its `rows` are null instead of an empty list.
 */
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
