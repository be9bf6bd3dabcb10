import { createHash } from "node:crypto";

/** What names things on a CNF: a rule kind, or the connections inside IPsec remotes. */
export interface Naming {
  /** The name on the CNF of what is called `name` in Kubernetes. */
  nameOnCnf(name: string): string;
}

const longestZone = 11;
const hashLength = 5;

/** The name of a UCI section, which holds letters, digits and `_` only: every other character becomes `_`. */
export const sectionName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_]/g, "_");

/** The name of a firewall zone: what is too long keeps its beginning, as a section's name, and ends in a short hash of the whole. */
export const zoneName = (name: string): string =>
  name.length <= longestZone ? name : shortened(sectionName(name), name);

/** A reference to what is named so, for a field that may be empty, which then stays so. It meets what it refers to. */
export function cnfReference({ nameOnCnf }: Naming, name: string | undefined): string {
  const trimmed = name?.trim() ?? "";
  return trimmed === "" ? "" : nameOnCnf(trimmed);
}

function shortened(name: string, whole: string): string {
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, hashLength);
  return `${name.slice(0, longestZone - hashLength - 1)}_${hash}`;
}
