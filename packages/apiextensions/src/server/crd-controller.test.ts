import { isConditionTrue, isNotFound, type Unstructured } from "@kubewright/apimachinery";
import { AdmissionChain } from "@kubewright/apiserver/admission";
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
    install: (definition: object, replace?: boolean) =>
      installDefinitions([server], storage, [definition], clock, replace),
    async read(name: string): Promise<CustomResourceDefinition> {
      const object: object = await scope.store.get("", name);
      return object as CustomResourceDefinition; // the store has no others
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

it("serves what is installed, and says so in its status", async () => {
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

it("refuses to install names that are taken, and accepts them once their holder is deleted", async () => {
  await bed.install(definition("foos", { kind: "Shared" }));
  await expect(bed.install(definition("bars", { kind: "Shared" }))).rejects.toThrow(
    'definition bars.example.org: names not accepted: "SharedList" is already in use',
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

it("needs a server of definitions to install any", async () => {
  const other = new GenericServer("other", new Map());
  const storage = await openStorage({ type: "memory" }, { clock, logger: silentLogger });
  await expect(installDefinitions([other], storage, [definition("foos")], clock)).rejects.toThrow(
    "no server serves definitions of custom resources",
  );
  await storage.close();
});
