import { type Condition, defineKind, type NewObject, type ObjectOf, typedSchema } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { ConfigMap, Deployment, Pod } from "../kinds/index.ts";
import type { Client } from "./client.ts";

interface Progress {
  done: number;
  note?: string;
}

interface SiteStatus {
  conditions?: Condition[];
  progress?: Progress;
  byZone?: Record<string, Progress>;
}

const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: typedSchema<{ image: string }>({ type: "object" }),
  status: typedSchema<SiteStatus>({ type: "object" }),
});
type Site = ObjectOf<typeof Site>;

/** Never called: only type-checked. */
async function programs(client: Client, site: Site, progress: Progress, status: SiteStatus): Promise<void> {
  const conditions: Condition[] = [];
  const readonlyConditions: readonly Condition[] = conditions;
  await client.status.patch(Site, site, { conditions });
  await client.status.patch(Site, site, { conditions: readonlyConditions });
  await client.status.patch(Site, site, { conditions, progress: { ...progress, note: null } });
  await client.status.patch(Site, site, { progress, byZone: { a: progress, b: null } });
  await client.status.patch(Site, site, status);
  await client.patch(Site, site, { status: { progress } });
  await client.patch(Site, site, { metadata: { labels: { a: null, b: "c" } }, spec: site.spec });
  // @ts-expect-error the status has no such field
  await client.status.patch(Site, site, { progres: progress });
  // @ts-expect-error nor a field of that type
  await client.status.patch(Site, site, { progress: 1 });

  const strategic = { type: "strategic" } as const;
  const containers = [
    { name: "web", image: "nginx:2" },
    { name: "old", $patch: "delete" },
  ];
  const order = { "$setElementOrder/containers": [{ name: "web" }] };
  await client.patch(Deployment, "a/b", { spec: { template: { spec: { containers, ...order } } } }, strategic);
  await client.patch(Pod, "a/b", { metadata: { "$deleteFromPrimitiveList/finalizers": ["x"] } }, strategic);
  await client.patch(Deployment, "a/b", { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }, strategic);
  await client.patch(ConfigMap, "a/b", { data: { $patch: "replace", a: "b" } }, strategic);
}

/** Fields of other objects may be absent, even if `exactOptionalPropertyTypes` distinguishes absent from undefined. */
async function namesFromObjects(client: Client, site: Site): Promise<void> {
  const { namespace, name, uid, resourceVersion, labels, annotations } = site.metadata;
  await client.create(ConfigMap, { metadata: { namespace, name, labels, annotations } });
  const made: NewObject<Site> = { metadata: { namespace, name }, spec: { image: "nginx" } };
  await client.create(Site, made);
  await client.list(ConfigMap, { namespace, resourceVersion, limit: undefined });
  await client.get(ConfigMap, { namespace, name });
  await client.delete(ConfigMap, { metadata: { namespace, name } }, { preconditions: { uid, resourceVersion } });
  await client.apply(ConfigMap, { metadata: { namespace, name, labels }, data: undefined });
  client.with({ namespace });
  await client.subResource("eviction").create(Pod, { namespace, name }, { metadata: { name, namespace } });
}

it("accepts patches with interfaces, and with names of other objects", () => {
  expect([programs, namesFromObjects]).toHaveLength(2);
});
