import { groupsOfServersAlone, groupVersionLines } from "./group-version-lines.ts";

/** Models of custom resources leave them out. */
const ofServersAlone: ReadonlySet<string> = new Set(groupsOfServersAlone.trim().split("\n"));

/** Options of requests count as a kind of each, served or not. */
export const knownGroupVersions: readonly { readonly group: string; readonly version: string }[] = groupVersionLines
  .trim()
  .split("\n")
  .flatMap((line) => {
    const [group = "", ...versions] = line.split(" ");
    return versions.map((version) => ({ group: group === "-" ? "" : group, version }));
  });

export const clientGroupVersions = knownGroupVersions.filter(({ group }) => !ofServersAlone.has(group));
