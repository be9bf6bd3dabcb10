import { builtinCatalogue } from "@kubewright/codec/schema";
import type { ServedResource } from "../../registry/resource.ts";
import { compareVersions, type ServedGroup } from "../scope/resource-set.ts";
import type { ForeignServers, Priority } from "./foreign-versions.ts";

interface ListedVersion {
  readonly version: string;
  /** The version's resources if this server serves it; otherwise, its entry from another server. */
  readonly content: readonly ServedResource[] | Readonly<Record<string, unknown>>;
}

/** A group in discovery, with versions from this server and other servers. */
export interface ListedGroup {
  readonly group: string;
  readonly versions: readonly ListedVersion[];
}

/** Priorities of a version that no APIService registers. @see apiserver pkg/endpoints/discovery/aggregated */
const unregistered: Priority = { group: 1_000, version: 15 };

/**
 * Returns the groups for discovery: this server's own groups in the same order as upstream, with the groups of other
 * servers inserted according to their priority.
 */
export function listedGroups(own: readonly ServedGroup[], foreign: ForeignServers): ListedGroup[] {
  const versions = foreign.versions();
  const listed = own.map(({ group, versions: each }) => ({
    group,
    versions: each.map(({ version, resources }): ListedVersion => ({ version, content: resources })),
  }));
  listed.sort((a, b) => placeOf(a.group) - placeOf(b.group));
  if (versions.length === 0) return listed;
  const byGroup = new Map(listed.map((each) => [each.group, each]));
  for (const { group, version, entry } of versions) {
    const known = byGroup.get(group) ?? { group, versions: [] };
    const others = known.versions.filter((each) => each.version !== version);
    byGroup.set(group, { group, versions: [...others, { version, content: entry }] });
  }
  return inOrderOfPriority([...byGroup.values()], foreign);
}

/** Sorts groups and their versions by priority.  @see kube-aggregator pkg/apis/apiregistration/v1/helper SortedByGroupAndVersion */
function inOrderOfPriority(groups: readonly ListedGroup[], foreign: ForeignServers): ListedGroup[] {
  const ranked = groups.map(({ group, versions }) => {
    const each = versions.map((listed) => ({
      listed,
      priority: foreign.priorityOf(group, listed.version) ?? unregistered,
    }));
    each.sort((a, b) => b.priority.version - a.priority.version || compareVersions(a.listed.version, b.listed.version));
    const highest = each.reduce((most, { priority }) => Math.max(most, priority.group), 0);
    return {
      rank: group === registrationGroup ? Number.POSITIVE_INFINITY : highest,
      listed: { group, versions: each.map(({ listed }) => listed) },
    };
  });
  ranked.sort((a, b) => (a.rank === b.rank ? (a.listed.group < b.listed.group ? -1 : 1) : b.rank - a.rank));
  return ranked.map(({ listed }) => listed);
}

/** Group of APIServices, which discovery always lists first. */
const registrationGroup = "apiregistration.k8s.io";

const builtinGroups = [...new Set(builtinCatalogue.map(({ group }) => group))];

/** Returns the position of a group in discovery. Built-in groups have upstream's order; groups from CRDs follow them. */
function placeOf(group: string): number {
  const place = builtinGroups.indexOf(group);
  return place < 0 ? builtinGroups.length : place;
}
