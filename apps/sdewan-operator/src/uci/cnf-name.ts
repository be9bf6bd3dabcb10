import { createHash } from "node:crypto";

/** The naming scheme on a CNF for a rule kind, or for the connections of IPsec remotes. */
export interface Naming {
  /** Returns the name on the CNF for a name in Kubernetes. */
  nameOnCnf(name: string): string;
}

const maxZoneLength = 11;
/** Maximum length of mwan3 names. The service ignores policies and rules with longer names, which become parts of chain names. */
const maxMwan3Length = 15;
/** Words that have a special meaning as the policy of a rule. */
const mwan3Words: readonly string[] = ["default", "unreachable", "blackhole"];
const hashLength = 5;

/**
 * Converts a name to that of a UCI section, which consists of letters, digits and `_`. All other characters become `_`.
 */
export const sectionName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_]/g, "_");

/**
 * Returns a firewall zone's name: its section name or, if that is too long, the first characters of the section name
 * and a short hash of the entire name.
 */
export const zoneName = (name: string): string =>
  name.length <= maxZoneLength ? name : shortened(name, maxZoneLength);

/** Returns the name of an mwan3 policy or rule: the section name, shortened like a zone name. */
export function mwan3Name(name: string): string {
  const section = sectionName(name);
  return section.length <= maxMwan3Length && !mwan3Words.includes(section) ? section : shortened(name, maxMwan3Length);
}

/** Converts a reference to another object to the object's name on the CNF. An empty reference remains empty. */
export function cnfReference({ nameOnCnf }: Naming, name: string | undefined): string {
  const trimmed = name?.trim() ?? "";
  return trimmed === "" ? "" : nameOnCnf(trimmed);
}

function shortened(name: string, maxLength: number): string {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, hashLength);
  return `${sectionName(name).slice(0, maxLength - hashLength - 1)}_${hash}`;
}
