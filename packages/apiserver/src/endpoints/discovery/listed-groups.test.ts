import { expect, it } from "vitest";
import type { ServedGroup } from "../scope/resource-set.ts";
import { aggregatedGroup, legacyGroup } from "./discovery-documents.ts";
import { type ForeignServers, type ForeignVersion, nobody, type Priority } from "./foreign-versions.ts";
import { listedGroups } from "./listed-groups.ts";

const own = (group: string, ...versions: string[]): ServedGroup => ({
  group,
  versions: versions.map((version) => ({ version, resources: [] })),
});

function behind(versions: Readonly<Record<string, Priority>>, foreign: readonly string[]): ForeignServers {
  const listed = foreign.map((name): ForeignVersion => {
    const [group = "", version = ""] = name.split("/");
    return { group, version, entry: { freshness: "Stale" } };
  });
  return { ...nobody, versions: () => listed, priorityOf: (group, version) => versions[`${group}/${version}`] };
}

it("orders foreign groups and versions by priority, the registration group first", () => {
  const groups = [own("apiregistration.k8s.io", "v1"), own("apps", "v1"), own("a.example.com", "v1")];
  const priorities = {
    "apps/v1": { group: 17_800, version: 15 },
    "z.example.com/v1": { group: 18_000, version: 5 },
    "z.example.com/v2beta1": { group: 10, version: 9 },
    "z.example.com/v2": { group: 10, version: 9 },
    "b.example.com/v1": { group: 1_000, version: 15 },
  };
  const foreign = behind(priorities, [
    "b.example.com/v1",
    "z.example.com/v1",
    "z.example.com/v2beta1",
    "z.example.com/v2",
  ]);
  const listed = listedGroups(groups, foreign);
  expect(listed.map(({ group }) => group)).toEqual([
    "apiregistration.k8s.io",
    "z.example.com",
    "apps",
    "a.example.com",
    "b.example.com",
  ]);
  expect(listed[1] && legacyGroup(listed[1])).toMatchObject({
    versions: [{ version: "v2" }, { version: "v2beta1" }, { version: "v1" }],
    preferredVersion: { groupVersion: "z.example.com/v2" },
  });
});

it("replaces an own version with a foreign one", () => {
  const listed = listedGroups([own("a.example.com", "v1", "v2")], behind({}, ["a.example.com/v1"]));
  expect(listed.map(aggregatedGroup)).toEqual([
    {
      metadata: { name: "a.example.com" },
      versions: [
        { version: "v2", resources: [], freshness: "Current" },
        { version: "v1", freshness: "Stale" },
      ],
    },
  ]);
});
