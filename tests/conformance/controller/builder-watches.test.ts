import { defineKind, type KubeObject, keyOf, metadataOnly, type OwnerReference } from "@kubewright/apimachinery";
import { type ControllerBuilder, controllerManagedBy } from "@kubewright/builder";
import { Client } from "@kubewright/client";
import { ConfigMap, ReplicaSet } from "@kubewright/client/kinds";
import { enqueueRequestForObject } from "@kubewright/controller";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { type ControllerDefaults, Manager } from "@kubewright/manager";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  preserveUnknownFields: true,
});

let env: Environment;
let client: Client;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  env = await Environment.start({ crds: [Site] });
  client = new Client({ connection: env.connection() });
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  for (const kind of [Site, ConfigMap]) await client.deleteCollection(kind, { namespace: "default" });
});
afterAll(async () => {
  await client.close();
  await env.stop();
});

/** Runs a manager with the built controller, and returns the reconciled requests. */
function running(
  build: ((builder: ControllerBuilder) => ControllerBuilder)[],
  controllerDefaults: ControllerDefaults = {},
) {
  const connection = env.connection();
  const manager = new Manager({ connection, metrics: { bindAddress: "0" }, logger: silentLogger, controllerDefaults });
  const reconciled: string[] = [];
  for (const put of build)
    put(controllerManagedBy(manager)).complete((request) => {
      reconciled.push(request);
    });
  const stop = new AbortController();
  const run = manager.run(stop.signal);
  ends.push(async () => {
    stop.abort();
    await run;
  });
  return { manager, reconciled };
}

const eventually = (check: () => void | Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 15_000 });
const named = (name: string, more: Partial<KubeObject["metadata"]> = {}) => ({
  metadata: { name, namespace: "default", ...more },
});
const never = { predicates: [() => false] };

const ownerOf = (owner: KubeObject, controller: boolean): OwnerReference => ({
  apiVersion: "shop.example.com/v1",
  kind: "Site",
  name: owner.metadata.name,
  uid: owner.metadata.uid ?? "",
  controller,
});

describe("builder: watches", () => {
  it.each([
    [undefined, 4],
    [2, 2],
  ])("CT-017 with %s workers of its own, has %s if the manager's setting for the kind is 4", async (own, workers) => {
    const defaults = { groupKindConcurrency: { "ReplicaSet.apps": 4, ReplicaSet: 9 }, maxConcurrentReconciles: 7 };
    const { manager } = running(
      [
        (builder) => builder.for(ReplicaSet).withOptions({ maxConcurrentReconciles: own }),
        (builder) => builder.for(ConfigMap),
      ],
      defaults,
    );
    const workersOf = async (controller: string): Promise<string | undefined> =>
      new RegExp(`^controller_runtime_max_concurrent_reconciles\\{controller="${controller}"\\} (\\d+)$`, "m").exec(
        await manager.metrics.metrics(),
      )?.[1];
    await eventually(async () => expect(await workersOf("replicaset")).toBe(String(workers)));
    await eventually(async () => expect(await workersOf("configmap")).toBe("7"));
  });

  it("CT-020 reconciles the controlling owner of an object", async () => {
    const { reconciled } = running([(builder) => builder.for(Site, never).owns(ConfigMap)]);
    const site = await client.create(Site, named("site"));
    await client.create(ConfigMap, named("plain", { ownerReferences: [ownerOf(site, false)] }));
    await client.create(ConfigMap, named("owned", { ownerReferences: [ownerOf(site, true)] }));
    await eventually(() => expect(reconciled).toEqual(["default/site"]));
  });

  it("CT-021 reconciles every owner on request, otherwise only the controller", async () => {
    const all = running([(builder) => builder.for(Site, never).owns(ConfigMap, { matchEveryOwner: true })]);
    const controllers = running([(builder) => builder.for(Site, never).owns(ConfigMap)]);
    const [a, b] = [await client.create(Site, named("a")), await client.create(Site, named("b"))];
    await client.create(ConfigMap, named("owned", { ownerReferences: [ownerOf(a, false), ownerOf(b, true)] }));
    await eventually(() => expect(all.reconciled.toSorted()).toEqual(["default/a", "default/b"]));
    await eventually(() => expect(controllers.reconciled).toEqual(["default/b"]));
  });

  it("CT-022 applies a watch's predicates to its own kind, and filters to all", async () => {
    const asked = { sites: new Set<string>(), maps: new Set<string>(), filter: new Set<string>() };
    const noting = (kinds: Set<string>) => (event: { readonly object: { readonly kind: string } }) => {
      kinds.add(event.object.kind);
      return true;
    };
    const { reconciled } = running([
      (builder) =>
        builder
          .for(Site, { predicates: [noting(asked.sites)] })
          .watches(ConfigMap, enqueueRequestForObject(), { predicates: [noting(asked.maps)] })
          .withEventFilter(
            (event) =>
              noting(asked.filter)(event) &&
              event.object.metadata.namespace === "default" &&
              !event.object.metadata.name.startsWith("no"),
          ),
    ]);
    for (const name of ["no-site", "site"]) await client.create(Site, named(name));
    for (const name of ["no-map", "map"]) await client.create(ConfigMap, named(name));
    await eventually(() => expect(reconciled.toSorted()).toEqual(["default/map", "default/site"]));
    expect(asked).toEqual({
      sites: new Set(["Site"]),
      maps: new Set(["ConfigMap"]),
      filter: new Set(["Site", "ConfigMap"]),
    });
  });

  it("CT-023 watches metadata only, with one watch for several controllers", async () => {
    const seen: KubeObject[] = [];
    const noting = (event: { readonly object: unknown }): boolean => seen.push(event.object as KubeObject) > 0;
    const build = (name: string) => (builder: ControllerBuilder) =>
      builder
        .for(metadataOnly(Site), { predicates: [noting] })
        .owns(metadataOnly(ConfigMap), { predicates: [noting] })
        .named(name);
    const { manager, reconciled } = running([build("first"), build("second")]);
    const withSpec = { ...named("site"), spec: { size: 3 } };
    const site = await client.create(Site, withSpec);
    await client.create(ConfigMap, { ...named("owned", { ownerReferences: [ownerOf(site, true)] }), data: { a: "b" } });
    await eventually(() => expect(seen.length).toBeGreaterThanOrEqual(4));
    const kinds = new Set(seen.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`));
    expect(kinds).toEqual(new Set(["shop.example.com/v1 Site", "v1 ConfigMap"]));
    expect(seen.every((object) => !("spec" in object) && !("data" in object))).toBe(true);
    expect(seen.map(keyOf)).toContain("default/owned");
    expect([...manager.cache.ages.keys()].map((name) => /metadata/i.test(name))).toEqual([true, true]);
    await eventually(() => expect(new Set(reconciled)).toEqual(new Set(["default/site"])));
  });
});
