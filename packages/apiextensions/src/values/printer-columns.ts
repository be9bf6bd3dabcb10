import { isRecord, stringifyJson } from "@kubewright/apimachinery";
import type { TableCell, TableColumn } from "@kubewright/apiserver/registry";
import { ageCell, ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import type { PrinterColumn } from "../definition/definition.ts";
import { type JsonPath, JsonPathError, parseJsonPath } from "./json-path.ts";

/**
 * Returns the Table columns for a version: Name and the columns defined in the CRD, or Name and Age if it defines none.
 *
 * @see apiextensions-apiserver pkg/registry/customresource/tableconvertor
 */
export function columnsOf(columns: readonly PrinterColumn[] | undefined): readonly TableColumn[] {
  if (!columns || columns.length === 0) return [nameColumn, { ...ageColumn, type: "date" }];
  return [nameColumn, ...columns.map(columnOf)];
}

const types: ReadonlySet<string> = new Set(["string", "integer", "number", "boolean", "date"]);
const isColumnType = (type: string): type is TableColumn["type"] => types.has(type);

function columnOf({ name, type, format, description, priority, jsonPath }: PrinterColumn): TableColumn {
  const find = pathOrNothing(jsonPath);
  const columnType = isColumnType(type) ? type : "string";
  return {
    name,
    type: columnType,
    format: format ?? "",
    description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority: priority ?? 0,
    cell(object, nowMs) {
      const found = find(object);
      return found.length === 0 ? null : cellOf(found, columnType, nowMs);
    },
  };
}

function pathOrNothing(text: string): JsonPath {
  try {
    return parseJsonPath(text);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    return () => [];
  }
}

function cellOf(found: readonly unknown[], type: TableColumn["type"], nowMs: number): TableCell {
  if (type === "string") return printedAll(found);
  const [value] = found;
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : typeof value === "bigint" ? Number(value) : null;
    case "number":
      return typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date": {
      if (typeof value !== "string") return null;
      return Number.isNaN(Date.parse(value)) ? "<invalid>" : ageCell(value, nowMs);
    }
  }
}

/**
 * Length of a cell's text after which no further values are added. Without this limit, a path to nested values could print the same text
 * many times.
 */
const longestCell = 100_000;

function printedAll(found: readonly unknown[]): string {
  const texts: string[] = [];
  let length = 0;
  for (const value of found) {
    const text = printed(value);
    texts.push(text);
    length += text.length + 1;
    if (length > longestCell) break;
  }
  return texts.join(" ");
}

function printed(value: unknown): string {
  if (value === null || value === undefined) return "";
  return Array.isArray(value) || isRecord(value) ? stringifyJson(value) : String(value);
}
