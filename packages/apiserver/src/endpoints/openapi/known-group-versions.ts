import { groupsOfServersAlone, groupVersionLines } from "./group-version-lines.ts";

/** Models of custom resources omit these. */
const ofServersAlone: ReadonlySet<string> = new Set(groupsOfServersAlone.trim().split("\n"));

/** Options of requests belong to each of these groups, whether served or not. */
export const knownGroupVersions: readonly { readonly group: string; readonly version: string }[] = groupVersionLines
  .trim()
  .split("\n")
  .flatMap((line) => {
    const [group = "", ...versions] = line.split(" ");
    return versions.map((version) => ({ group: group === "-" ? "" : group, version }));
  });

export const clientGroupVersions = knownGroupVersions.filter(({ group }) => !ofServersAlone.has(group));
