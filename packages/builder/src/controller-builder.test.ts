import {
  controllerReference,
  type DeepReadonly,
  defineKind,
  type Kind,
  type KubeObject,
  keyOf,
  metadataOnly,
  type ObjectOf,
  setControllerReference,
} from "@kubewright/apimachinery";
import { Client, createOrUpdate } from "@kubewright/client";
import { ConfigMap, Secret } from "@kubewright/client/kinds";
import {
  asReconciler,
  enqueueRequestForObject,
  enqueueRequestForOwner,
  enqueueRequestsFromMapFunc,
  funcSource,
  labelSelectorMatches,
  type ReconcileContext,
} from "@kubewright/controller";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { Manager, type ManagerOptions } from "@kubewright/manager";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { controllerManagedBy } from "./controller-builder.ts";

const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  preserveUnknownFields: true,
});
type Site = ObjectOf<typeof Site>;
const Region = defineKind({ group: "shop.example.com", version: "v1", kind: "Region", scope: "Cluster" });

let env: Environment;
let client: Client;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  env = await Environment.start({ crds: [Site, Region] });
  client = new Client({ connection: env.connection() });
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await client.deleteCollection(Site, { namespace: "default" });
  await client.deleteCollection(ConfigMap, { namespace: "default" });
  await client.deleteCollection(Secret, { namespace: "default" });
});
afterAll(async () => {
  await client.close();
  await env.stop();
});

const managerOf = (options: ManagerOptions = {}) =>
  new Manager({ connection: env.connection(), metrics: { bindAddress: "0" }, logger: silentLogger, ...options });

function run(manager: Manager): void {
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  stops.push(async () => {
    stop.abort();
    await running;
  });
}

const inDefault = (name: string, more: object = {}) => ({ metadata: { name, namespace: "default", ...more } });

describe("controllerManagedBy", () => {
  it("reconciles objects of the kind and owners of the owned kinds", async () => {
    const manager = managerOf();
    const reconciled: string[] = [];
    const causes: ReconcileContext["causes"][] = [];
    controllerManagedBy(manager)
      .for(Site)
      .owns(ConfigMap)
      .complete(
        asReconciler(Site, async (site: DeepReadonly<Site>, context) => {
          reconciled.push(keyOf(site));
          causes.push(context.causes);
          await createOrUpdate(context.client, ConfigMap, keyOf(site), (draft) => {
            draft.data = { owner: site.metadata.name };
            setControllerReference(site, draft);
          });
        }),
      );
    run(manager);
    await client.create(Site, inDefault("a"));
    await vi.waitFor(async () => expect((await client.get(ConfigMap, "default/a")).data).toEqual({ owner: "a" }));
    await client.delete(ConfigMap, "default/a");
    await vi.waitFor(async () => expect((await client.get(ConfigMap, "default/a")).data).toEqual({ owner: "a" }));
    expect(reconciled.every((key) => key === "default/a")).toBe(true);
    expect(causes.flat()).toContainEqual(
      expect.objectContaining({ source: "ConfigMap", type: "delete", key: "default/a" }),
    );
  });

  it("reconciles cluster-scoped owners although their kind has no scope", async () => {
    const manager = managerOf();
    const reconciled: Record<string, string[]> = { owns: [], watches: [], metadata: [] };
    const unscoped: Kind = { group: Region.group, version: "v1", kind: "Region" };
    const noting = (name: string) => (request: string) => void reconciled[name]?.push(request);
    const quiet = { predicates: [() => false] };
    controllerManagedBy(manager).for(unscoped, quiet).named("owns").owns(ConfigMap).complete(noting("owns"));
    const forOwner = enqueueRequestForOwner(unscoped);
    controllerManagedBy(manager).named("watches").watches(Secret, forOwner).complete(noting("watches"));
    const parts = metadataOnly(ConfigMap);
    controllerManagedBy(manager).named("metadata").watches(parts, forOwner).complete(noting("metadata"));
    run(manager);
    const eu = await client.create(Region, { metadata: { name: "eu" } });
    const ownerReferences = [controllerReference(eu)];
    await client.create(ConfigMap, inDefault("a", { ownerReferences }));
    await client.create(Secret, inDefault("a", { ownerReferences }));
    await vi.waitFor(() => expect(reconciled).toEqual({ owns: ["eu"], watches: ["eu"], metadata: ["eu"] }));
    await client.delete(Region, "eu");
  });

  it("watches other kinds with a map function that reads by an index", async () => {
    const manager = managerOf();
    const reconciled: string[] = [];
    const configOf = (site: DeepReadonly<Site>) => [site.metadata.annotations?.config ?? ""];
    controllerManagedBy(manager)
      .for(Site, { indexes: { config: configOf }, predicates: [() => false] })
      .watches(
        ConfigMap,
        enqueueRequestsFromMapFunc(async ({ metadata }, { client }) =>
          (await client.list(Site, { namespace: "default", fields: { config: metadata.name } })).map(keyOf),
        ),
      )
      .complete((request) => void reconciled.push(request));
    await client.create(Site, inDefault("a", { annotations: { config: "one" } }));
    await client.create(Site, inDefault("b", { annotations: { config: "two" } }));
    run(manager);
    await client.create(ConfigMap, inDefault("two"));
    await vi.waitFor(() => expect(reconciled).toEqual(["default/b"]));
  });

  it("indexes owned and watched kinds like its own kind", async () => {
    const manager = managerOf();
    const found: string[] = [];
    const purposeOf = ({ metadata }: DeepReadonly<KubeObject>) => [metadata.labels?.purpose ?? ""];
    controllerManagedBy(manager)
      .for(Site)
      .owns(ConfigMap, { indexes: { purpose: purposeOf } })
      .watches(Secret, enqueueRequestForObject(), { predicates: [() => false], indexes: { purpose: purposeOf } })
      .complete(async (_request, { client }) => {
        const fields = { purpose: "wanted" };
        const objects = [...(await client.list(ConfigMap, { fields })), ...(await client.list(Secret, { fields }))];
        found.splice(0, found.length, ...objects.map(({ metadata }) => metadata.name));
      });
    await client.create(ConfigMap, inDefault("owned", { labels: { purpose: "wanted" } }));
    await client.create(Secret, inDefault("other", { labels: { purpose: "other" } }));
    await client.create(Secret, inDefault("watched", { labels: { purpose: "wanted" } }));
    await client.create(Site, inDefault("a"));
    run(manager);
    await vi.waitFor(() => expect(found).toEqual(["owned", "watched"]), { timeout: 5_000 });
  });

  it("applies predicates to their kind and filters to all", async () => {
    const manager = managerOf();
    const reconciled: string[] = [];
    controllerManagedBy(manager)
      .named("filtered")
      .watches(ConfigMap, enqueueRequestForObject(), {
        predicates: [labelSelectorMatches({ matchLabels: { a: "1" } })],
      })
      .watches(Site, enqueueRequestForObject())
      .withEventFilter(({ object }) => object.metadata.namespace === "default" && object.metadata.name !== "no")
      .complete((request) => void reconciled.push(request));
    run(manager);
    await client.create(ConfigMap, inDefault("plain"));
    await client.create(ConfigMap, inDefault("no", { labels: { a: "1" } }));
    await client.create(ConfigMap, inDefault("yes", { labels: { a: "1" } }));
    await client.create(Site, inDefault("site"));
    await vi.waitFor(() => expect(reconciled.sort()).toEqual(["default/site", "default/yes"]));
  });

  it("reconciles owners that do not manage the object only if configured", async () => {
    const manager = managerOf();
    const [some, every]: string[][] = [[], []];
    const never = { predicates: [() => false] };
    controllerManagedBy(manager)
      .for(Site, never)
      .owns(ConfigMap)
      .named("some")
      .complete((key) => void some?.push(key));
    controllerManagedBy(manager)
      .for(Site, never)
      .owns(ConfigMap, { matchEveryOwner: true })
      .named("every")
      .complete((key) => void every?.push(key));
    run(manager);
    const site = await client.create(Site, inDefault("a"));
    const { apiVersion, kind, metadata } = site;
    const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "" };
    await client.create(ConfigMap, inDefault("c", { ownerReferences: [owner] }));
    await vi.waitFor(() => expect(every).toEqual(["default/a"]));
    expect(some).toEqual([]);
  });
});

describe("complete", () => {
  const nothing = () => {};

  it("refuses invalid combinations", () => {
    const builder = () => controllerManagedBy(managerOf());
    expect(() => builder().named("x").complete(nothing)).toThrow("there are no watches configured");
    expect(() => builder().owns(ConfigMap).named("x").complete(nothing)).toThrow("only be used together with for");
    expect(() => builder().watches(ConfigMap, enqueueRequestForObject()).complete(nothing)).toThrow("must have a name");
    expect(() => builder().for(Site).for(Secret).complete(nothing)).toThrow("only be called once");
    const none = undefined as unknown;
    expect(() =>
      builder()
        .for(Site)
        .complete(none as typeof nothing),
    ).toThrow("non-nil reconciler");
  });

  it("names the controller after its kind, and refuses the same name twice", () => {
    const manager = managerOf();
    expect(controllerManagedBy(manager).for(Site).complete(nothing).name).toBe("site");
    expect(() => controllerManagedBy(manager).for(Site).complete(nothing)).toThrow("already exists");
    expect(controllerManagedBy(manager).for(Site).named("second").complete(nothing).name).toBe("second");
    const settings = { skipNameValidation: true };
    expect(controllerManagedBy(manager).for(Site).withOptions(settings).complete(nothing).name).toBe("site");
  });

  it("uses the manager's settings if the controller has none", () => {
    const manager = managerOf({
      controllerDefaults: { needLeaderElection: false, groupKindConcurrency: { "Site.shop.example.com": 3 } },
    });
    expect(controllerManagedBy(manager).for(Site).complete(nothing).group).toBe("others");
    const own = controllerManagedBy(manager).for(Secret).withOptions({ needLeaderElection: true });
    expect(own.complete(nothing).group).toBe("leaderElection");
  });

  it("accepts raw sources", async () => {
    const manager = managerOf();
    const reconciled: string[] = [];
    controllerManagedBy(manager)
      .named("raw")
      .watchesRawSource(funcSource(({ queue }) => queue.add("anything")))
      .complete((request) => void reconciled.push(request));
    run(manager);
    await vi.waitFor(() => expect(reconciled).toEqual(["anything"]));
  });
});
