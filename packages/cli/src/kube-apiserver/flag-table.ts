import { parseFlagTable } from "../flags/flag-table.ts";
import { flagLines } from "./flag-lines.ts";

/** Flags of kube-apiserver. @see kubernetes cmd/kube-apiserver */
export const kubeApiServerFlags = parseFlagTable(flagLines);
