import { groupsOfServersAlone, groupVersionLines } from "./group-version-lines.ts";

/** Groups that the models of request options list for built-in resources, but not for custom resources. */
const ofServersAlone: ReadonlySet<string> = new Set(groupsOfServersAlone.trim().split("\n"));

/** All known group versions. The models of request options list all of them, even those that are not served. */
export const knownGroupVersions: readonly { readonly group: string; readonly version: string }[] = groupVersionLines
  .trim()
  .split("\n")
  .flatMap((line) => {
    const [group = "", ...versions] = line.split(" ");
    return versions.map((version) => ({ group: group === "-" ? "" : group, version }));
  });

export const clientGroupVersions = knownGroupVersions.filter(({ group }) => !ofServersAlone.has(group));
