import { isConditionTrue, isNotFound, type Unstructured } from "@kubewright/apimachinery";
import { AdmissionChain } from "@kubewright/apiserver/admission";
import type { ServedResource } from "@kubewright/apiserver/registry";
import { AllServedResources, GenericServer, ServingContext, serverContext } from "@kubewright/apiserver/server";
import { WebhookClients } from "@kubewright/apiserver/webhook";
import { systemClock as clock } from "@kubewright/clock";
import { builtinCatalogue, builtinSchema } from "@kubewright/codec/schema";
import { silentLogger } from "@kubewright/log";
import { openStorage } from "@kubewright/storage";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { CustomResourceDefinition, DefinitionNames } from "../definition/definition.ts";
import { customResourceDefinitionStrategy as strategy } from "../validation/definition-strategy.ts";
import { CrdController } from "./crd-controller.ts";
import { crdPrefix } from "./crd-object.ts";
import { installDefinitions } from "./install-definitions.ts";

async function start() {
  const storage = await openStorage({ type: "memory" }, { clock, logger: silentLogger });
  const entry = builtinCatalogue.find(({ kind }) => kind === "CustomResourceDefinition");
  const schema = entry && builtinSchema(entry);
  if (!entry || !schema) throw new Error("there is no such kind");
  const served = new AllServedResources();
  const context = new ServingContext({
    ...{ storage, clock, bookmarkIntervalMs: 60_000, served, accessChecks: new Map() },
    admission: new AdmissionChain([]),
    authorize: () => ({ decision: "allow" }),
  });
  const server = new GenericServer("apiextensions", new Map());
  const scope = context.scopeOf({ ...entry, schema, strategy, origin: "builtin", storagePrefix: crdPrefix });
  server.resources.addAll([scope]);
  served.add(server.resources);
  const webhooks = new WebhookClients({
    clock,
    resolveService: () => Promise.reject(new Error("there are no services")),
  });
  const controller = new CrdController(context, server, webhooks, silentLogger);
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  await controller.synced;
  return {
    server,
    scope,
    /** Opens a watch on a version. When it ends, its title is added to `ended`. */
    watch(resource: ServedResource | undefined, ended: string[], title: string): void {
      const end = (): void => void ended.push(title);
      if (resource) context.watches.add({ resource, end, fail: end, cut: end });
    },
    install: (definition: object, replace?: boolean) =>
      installDefinitions([server], storage, [definition], clock, replace),
    async read(name: string): Promise<CustomResourceDefinition> {
      const object: object = await scope.store.get("", name);
      return object as CustomResourceDefinition; // the store contains no other objects
    },
    remove: (name: string) => scope.store.delete(name, { dryRun: false }, serverContext(clock, "")),
    async stop() {
      stop.abort();
      await running;
      await storage.close();
    },
  };
}

let bed: Awaited<ReturnType<typeof start>>;
beforeEach(async () => {
  bed = await start();
});
afterEach(() => bed.stop());

const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
const definition = (plural: string, names: Partial<DefinitionNames> = {}, versions: readonly string[] = ["v1"]) => ({
  ...{
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.org` },
  },
  spec: {
    group: "example.org",
    scope: "Cluster",
    names: { plural, kind: `K${plural}`, ...names },
    versions: versions.map((name, i) => ({ name, served: true, storage: i === 0, schema })),
  },
});
const find = (plural: string, version = "v1") => bed.server.resources.find("example.org", version, plural);
const context = serverContext(clock, "");
const instance = (plural: string, name: string, more: object = {}): Unstructured => ({
  ...{ apiVersion: "example.org/v1", kind: `K${plural}`, metadata: { name, ...more } },
});
const gone = (name: string) =>
  vi.waitFor(() => expect(bed.read(name)).rejects.toSatisfy(isNotFound), { timeout: 5_000, interval: 10 });

it("serves installed definitions, and reports it in their status", async () => {
  await bed.install({ crd: definition("foos", {}, ["v1", "v2"]) });
  expect([find("foos")?.resource.storedVersion, find("foos", "v2")?.resource.storedVersion]).toEqual(["v1", "v1"]);
  const { status } = await bed.read("foos.example.org");
  expect(status?.acceptedNames).toEqual({ plural: "foos", singular: "kfoos", kind: "Kfoos", listKind: "KfoosList" });
  expect(["NamesAccepted", "Established"].map((type) => isConditionTrue(status?.conditions ?? [], type))).toEqual([
    true,
    true,
  ]);
  expect(status?.storedVersions).toEqual(["v1"]);
  expect(find("foos")?.resource.watchableFrom).toBeDefined();
});

it("refuses to install twice, or replaces the specification", async () => {
  await bed.install(definition("foos", {}, ["v1", "v2"]));
  await expect(bed.install(definition("foos"))).rejects.toThrow("already exists");
  await bed.install(definition("foos"), true);
  await vi.waitFor(() => expect(find("foos", "v2")).toBeUndefined(), { timeout: 5_000 });
  expect(find("foos")).toBeDefined();
});

it("does not accept names that are taken, until their holder is deleted", async () => {
  await bed.install(definition("foos", { kind: "Shared" }));
  await expect(bed.install(definition("bars", { kind: "Shared" }))).rejects.toThrow(
    'CRD bars.example.org: names not accepted: "SharedList" is already in use',
  );
  expect(find("bars")).toBeUndefined();
  await bed.remove("foos.example.org");
  await vi.waitFor(() => expect(find("bars")).toBeDefined(), { timeout: 5_000 });
  expect(find("foos")).toBeUndefined();
});

it("removes the instances of a deleted definition, and waits for their finalizers", async () => {
  await bed.install(definition("foos"));
  await bed.install(definition("bars"));
  const [foos, bars] = [find("foos"), find("bars")];
  await foos?.store.create(instance("foos", "plain"), context);
  await foos?.store.create(instance("foos", "held", { finalizers: ["example.org/hold"] }), context);
  await bars?.store.create(instance("bars", "other"), context);
  await bed.remove("foos.example.org");
  await vi.waitFor(() => expect(foos?.store.get("", "plain")).rejects.toSatisfy(isNotFound), { timeout: 5_000 });
  const { status } = await bed.read("foos.example.org");
  expect(status?.conditions?.find(({ type }) => type === "Terminating")).toMatchObject({
    ...{ status: "True", reason: "InstanceDeletionInProgress", message: "CustomResource deletion is in progress" },
  });
  expect(find("foos")?.resource.createRefusal).toContain("terminating");
  const release = (current: unknown) => {
    const next = structuredClone(current) as Unstructured;
    next.metadata.finalizers = [];
    return next;
  };
  await foos?.store.update({ name: "held", part: "main", transform: release }, context);
  await gone("foos.example.org");
  await vi.waitFor(() => expect(find("foos")).toBeUndefined(), { timeout: 5_000 });
  expect((await bars?.store.get("", "other"))?.metadata.name).toBe("other");
});

const inGroup = (group: string, { metadata, spec, ...rest }: ReturnType<typeof definition>) => ({
  ...rest,
  metadata: {
    name: metadata.name.replace("example.org", group),
    annotations: { "api-approved.kubernetes.io": "unapproved" },
  },
  spec: { ...spec, group },
});

it("accepts the names of another group's definitions, but not those of built-in resources", async () => {
  await bed.install(definition("foos", { kind: "Shared" }));
  await bed.install(inGroup("example.com", definition("bars", { kind: "Shared" })));
  await bed.install(definition("leases", { kind: "Lease" }));
  await expect(bed.install(inGroup("coordination.k8s.io", definition("others", { kind: "Lease" })))).rejects.toThrow(
    'names not accepted: "LeaseList" is already in use',
  );
});

it("gives a name to the definition that waits for it once the holder is deleted or releases the name", async () => {
  const shortNamesOf = async (plural: string): Promise<readonly string[] | undefined> =>
    (await bed.read(`${plural}.example.org`)).status?.acceptedNames?.shortNames;
  await bed.install(definition("foos", { shortNames: ["x"] }));
  await bed.install(definition("bars"));
  await bed.install(definition("bars", { shortNames: ["x"] }), true);
  await vi.waitFor(async () => {
    const { status } = await bed.read("bars.example.org");
    expect(isConditionTrue(status?.conditions ?? [], "NamesAccepted")).toBe(false);
  });
  await expect(bed.install(definition("never", { shortNames: ["x", "y"] }))).rejects.toThrow("already in use");
  await bed.remove("foos.example.org");
  await vi.waitFor(async () => expect(await shortNamesOf("bars")).toEqual(["x"]), { timeout: 5_000 });
  expect(find("bars")?.resource.shortNames).toEqual(["x"]);
  expect(find("never")).toBeUndefined();
  await bed.install(definition("bars"), true);
  await vi.waitFor(() => expect(find("never")?.resource.shortNames).toEqual(["x", "y"]), { timeout: 5_000 });
  expect(await shortNamesOf("bars")).toBeUndefined();
});

it("ends the watches of a definition that changed, and no others", async () => {
  await bed.install(definition("foos", {}, ["v1", "v2"]));
  await bed.install(definition("bars"));
  const ended: string[] = [];
  for (const [plural, version] of [
    ["foos", "v1"],
    ["foos", "v2"],
    ["bars", "v1"],
  ] as const)
    bed.watch(find(plural, version)?.resource, ended, `${plural}/${version}`);
  const before = Number(find("foos")?.resource.watchableFrom);
  await bed.install(definition("foos"), true);
  await vi.waitFor(() => expect(new Set(ended)).toEqual(new Set(["foos/v1", "foos/v2"])), { timeout: 5_000 });
  expect(Number(find("foos")?.resource.watchableFrom)).toBeGreaterThan(before);
});

it("ends the watches of a deleted definition", async () => {
  await bed.install(definition("foos"));
  await bed.install(definition("bars"));
  const ended: string[] = [];
  for (const plural of ["foos", "bars"]) bed.watch(find(plural)?.resource, ended, plural);
  await bed.remove("foos.example.org");
  await vi.waitFor(() => expect(ended).toEqual(["foos"]), { timeout: 5_000 });
});

it("needs a server of definitions to install any", async () => {
  const other = new GenericServer("other", new Map());
  const storage = await openStorage({ type: "memory" }, { clock, logger: silentLogger });
  await expect(installDefinitions([other], storage, [definition("foos")], clock)).rejects.toThrow(
    "this server does not serve CustomResourceDefinitions",
  );
  await storage.close();
});
