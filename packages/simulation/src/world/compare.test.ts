import type { KubeObject } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { differences, differenceText, leftovers } from "./compare.ts";
import type { Remembers } from "./normalise.ts";

let versions = 0;

/** Returns an object as a cluster would store it, with a new uid, version and times. */
function stored(kind: string, name: string, rest: { metadata?: object; [field: string]: unknown } = {}): KubeObject {
  const { metadata, ...fields } = rest;
  versions++;
  const uid = `00000000-0000-4000-8000-${String(versions).padStart(12, "0")}`;
  const creationTimestamp = new Date(versions * 1_000).toISOString();
  const assigned = { uid, resourceVersion: String(versions), generation: versions, creationTimestamp };
  return { apiVersion: "v1", kind, metadata: { name, namespace: "shop", ...assigned, ...metadata }, ...fields };
}

const ownedBy = ({ kind, metadata: { name = "", uid = "" } }: KubeObject) => ({
  ownerReferences: [{ apiVersion: "v1", kind, name, uid, controller: true }],
});

const texts = (actual: KubeObject[], expected: KubeObject[], remembers?: Remembers): string[] =>
  differences(actual, expected, { remembers }).map(differenceText);

/** One world, with everything that differs from cluster to cluster. */
function world(suffix: string, site = stored("Site", "north", { spec: { size: 1 } })): KubeObject[] {
  const name = `north-${suffix}`;
  return [
    {
      ...site,
      status: {
        job: name,
        observedGeneration: site.metadata.generation,
        conditions: [{ type: "Ready", status: "True", lastTransitionTime: site.metadata.creationTimestamp }],
      },
    } as KubeObject,
    stored("Job", name, { metadata: { generateName: "north-", labels: { uid: site.metadata.uid }, ...ownedBy(site) } }),
    stored("Service", "north", {
      metadata: ownedBy(site),
      spec: { clusterIP: `10.0.0.${versions}`, ports: [{ nodePort: 30_000 + versions }] },
    }),
  ];
}

it("finds equal worlds equal in any order", () => {
  expect(texts(world("x7k2p"), world("b9c4d").toReversed())).toEqual([]);
});

it("ignores how often a Deployment was rolled out", () => {
  const rolledOut = (times: string): KubeObject[] => [
    stored("Deployment", "north", { metadata: { annotations: { "deployment.kubernetes.io/revision": times } } }),
  ];
  expect(texts(rolledOut("3"), rolledOut("1"))).toEqual([]);
});

it("names missing, unexpected and changed objects", () => {
  const twice = [stored("Job", "a-x1x1x", { metadata: { generateName: "a-" } }), stored("Job", "b")];
  const once = [
    stored("Job", "a-y1y1y", { metadata: { generateName: "a-" } }),
    stored("Job", "a-y2y2y", { metadata: { generateName: "a-" } }),
    stored("Job", "a-y3y3y", { metadata: { generateName: "a-" } }),
    stored("ConfigMap", "c"),
  ];
  expect(texts(twice, once)).toEqual([
    "ConfigMap shop/c does not exist, but should",
    "Job shop/a-* does not exist, but should (2 objects)",
    "Job shop/b exists, but should not",
  ]);
  expect(
    texts(
      [stored("Site", "a", { spec: { size: 1, tags: ["x", "y"] }, status: { names: ["b", "a"], extra: 1 } })],
      [stored("Site", "a", { spec: { size: 2, tags: ["x", "z"] }, status: { names: ["a", "b"] } })],
    ),
  ).toEqual([
    "Site shop/a: spec.size is 1, but should be 2",
    'Site shop/a: spec.tags[1] is "y", but should be "z"',
    "Site shop/a: status.extra is 1, but should be absent",
  ]);
});

it("reports an outdated generation and a reference to a deleted owner", () => {
  const site = stored("Site", "north", { spec: {} });
  const stale = (value: KubeObject, observedGeneration: number): KubeObject =>
    ({ ...value, status: { observedGeneration } }) as KubeObject;
  expect(texts([stale(site, 0)], [stale(site, site.metadata.generation ?? 0)])).toEqual([
    'Site shop/north: status.observedGeneration is "outdated", but should be "current"',
  ]);
  const gone = stored("Site", "north");
  expect(
    texts(
      [site, stored("Job", "a", { metadata: ownedBy(gone) })],
      [site, stored("Job", "a", { metadata: ownedBy(site) })],
    ),
  ).toEqual([
    'Job shop/a: metadata.ownerReferences[0].uid is "<uid of a deleted object>", but should be "<uid of Site shop/north>"',
  ]);
});

it("does not compare remembered values, but their existence", () => {
  const secret = (data: object): KubeObject[] => [stored("Secret", "a", { data })];
  expect(texts(secret({ password: "x" }), secret({ password: "y" }))).toHaveLength(1);
  expect(texts(secret({ password: "x" }), secret({ password: "y" }), ["Secret"])).toEqual([]);
  expect(texts(secret({ password: "x" }), secret({}), ["Secret"])).toEqual([
    'Secret shop/a: data.password is "<remembered>", but should be absent',
  ]);
  const backup = (id: string, size: number): KubeObject[] => [
    stored("Backup", "a", { status: { id, parts: [{ id, size }] } }),
  ];
  const remembers = { Backup: ["status.id", "status.parts.*.id"] };
  expect(texts(backup("x", 1), backup("y", 1), remembers)).toEqual([]);
  expect(texts(backup("x", 1), backup("y", 2), remembers)).toEqual([
    "Backup shop/a: status.parts[0].size is 1, but should be 2",
  ]);
  expect(texts(backup("x", 1), [], remembers)).toHaveLength(1);
  expect(texts(backup("x", 1), [], { Backup: ["*"] })).toEqual([]);
});

it("lists what remains after a deletion", () => {
  const before = stored("ConfigMap", "settings");
  const stuck = stored("Site", "a", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x/y"] } });
  const owned = stored("Job", "b", { metadata: ownedBy(stuck) });
  expect(leftovers([before, stuck, owned, stored("Job", "c")], [before])).toEqual([
    "Job shop/b still exists",
    "Job shop/c still exists, and has no owner reference",
    "Site shop/a is being deleted, but still has the finalizer x/y",
  ]);
});
