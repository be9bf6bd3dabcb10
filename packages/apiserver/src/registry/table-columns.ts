import { ageCell } from "./duration.ts";
import type { TableColumn } from "./table-column.ts";

/** Column with the object's name: the first column for every kind. */
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

/** Column with the object's age. */
export const ageColumn: TableColumn = {
  name: "Age",
  type: "string",
  description: creationDescription,
  cell: (object, nowMs) => ageCell(object.metadata.creationTimestamp, nowMs),
};

/** Column with the object's creation time, as a timestamp. */
export const createdAtColumn: TableColumn = {
  name: "Created At",
  type: "date",
  description: creationDescription,
  cell: (object) => object.metadata.creationTimestamp ?? "<unknown>",
};

/** Columns for kinds that do not define their own. */
export const defaultColumns: readonly TableColumn[] = [nameColumn, ageColumn];
