import { type GeneratedFile, tableModule } from "../generated-file.ts";
import type { ServerDescription } from "./server-description.ts";

/** Returns every group with the versions for which types exist; `-` is the core group. */
export function groupVersions({ versions, clientGroups }: ServerDescription): GeneratedFile {
  const groups = Object.keys(versions).sort();
  return tableModule("packages/apiserver/src/endpoints/openapi/group-version-lines.ts", "kube-apiserver", [
    {
      name: "groupVersionLines",
      comment: "All groups, with the versions for which upstream has types, whether or not they are served.",
      lines: groups.map((group) => [group || "-", ...[...new Set(versions[group])].sort()].join(" ")),
    },
    {
      name: "groupsOfServersAlone",
      comment: "Groups without types for clients.",
      lines: groups.filter((group) => !clientGroups.includes(group)),
    },
  ]);
}
