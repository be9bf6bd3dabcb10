import { type FlagTable, parseFlagTable } from "../flags/flag-table.ts";
import { flagLines, ignoredFlags, ignoredSwitches } from "./flag-lines.ts";

/** kube-apiserver flags that have an effect here. @see kubernetes cmd/kube-apiserver */
export const kubeApiServerFlags = parseFlagTable(flagLines);

const ignored = (names: string, type: "bool" | "string") =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => [name, { name, type, section: "Ignored" }] as const);

/** kube-apiserver flags that have no effect here. Their values are not checked. */
export const flagsWithoutEffect: FlagTable = new Map([
  ...ignored(ignoredFlags, "string"),
  ...ignored(ignoredSwitches, "bool"),
]);
