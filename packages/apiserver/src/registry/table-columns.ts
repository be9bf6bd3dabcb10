import { ageCell } from "./duration.ts";
import type { TableColumn } from "./table-column.ts";

/** The first column of every kind. */
export const nameColumn: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description:
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
  cell: (object) => object.metadata.name ?? "",
};

const creationDescription =
  "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.";

/** The age of the object. */
export const ageColumn: TableColumn = {
  name: "Age",
  type: "string",
  description: creationDescription,
  cell: (object, nowMs) => ageCell(object.metadata.creationTimestamp, nowMs),
};

/** The creation time of the object, as a timestamp. */
export const createdAtColumn: TableColumn = {
  name: "Created At",
  type: "date",
  description: creationDescription,
  cell: (object) => object.metadata.creationTimestamp ?? "<unknown>",
};

/** Columns of a kind without its own. */
export const defaultColumns: readonly TableColumn[] = [nameColumn, ageColumn];
