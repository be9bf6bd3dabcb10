import { createHash } from "node:crypto";

/** What names things on a CNF: a rule kind, or the connections inside IPsec remotes. */
export interface Naming {
  /** The name on the CNF of what is called `name` in Kubernetes. */
  nameOnCnf(name: string): string;
}

const longestZone = 11;
/** The service mwan3 leaves policies and rules of longer names alone: they are parts of names of chains. */
const longestMwan3 = 15;
/** Rules of mwan3 take these for something else than a policy. */
const mwan3Words: readonly string[] = ["default", "unreachable", "blackhole"];
const hashLength = 5;

/** The name of a UCI section, which holds letters, digits and `_` only: every other character becomes `_`. */
export const sectionName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_]/g, "_");

/** The name of a firewall zone: what is too long keeps its beginning, as a section's name, and ends in a short hash of the whole. */
export const zoneName = (name: string): string => (name.length <= longestZone ? name : shortened(name, longestZone));

/** The name of a policy or rule of mwan3: as that of a section, and where it is too long, as that of a zone. */
export function mwan3Name(name: string): string {
  const section = sectionName(name);
  return section.length <= longestMwan3 && !mwan3Words.includes(section) ? section : shortened(name, longestMwan3);
}

/** A reference to what is named so, for a field that may be empty, which then stays so. It meets what it refers to. */
export function cnfReference({ nameOnCnf }: Naming, name: string | undefined): string {
  const trimmed = name?.trim() ?? "";
  return trimmed === "" ? "" : nameOnCnf(trimmed);
}

function shortened(name: string, longest: number): string {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, hashLength);
  return `${sectionName(name).slice(0, longest - hashLength - 1)}_${hash}`;
}
