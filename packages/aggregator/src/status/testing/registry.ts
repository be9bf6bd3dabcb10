import type { Unstructured } from "@kubewright/apimachinery";
import { AdmissionChain } from "@kubewright/apiserver/admission";
import { AllServedResources, ServingContext, serverContext } from "@kubewright/apiserver/server";
import { FakeClock } from "@kubewright/clock/testing";
import { builtinCatalogue, builtinSchema } from "@kubewright/codec/schema";
import { silentLogger } from "@kubewright/log";
import { openStorage } from "@kubewright/storage";

/** Creates an in-memory server for APIServices, with a stopped clock. */
export async function registry() {
  const clock = new FakeClock();
  const storage = await openStorage({ type: "memory" }, { clock, logger: silentLogger });
  const entry = builtinCatalogue.find(({ kind }) => kind === "APIService");
  const schema = entry && builtinSchema(entry);
  if (!entry || !schema) throw new Error("no such kind");
  const scope = new ServingContext({
    ...{ storage, clock, bookmarkIntervalMs: 60_000, served: new AllServedResources(), accessChecks: new Map() },
    admission: new AdmissionChain([]),
    authorize: () => ({ decision: "allow" }),
  }).scopeOf({
    ...{ ...entry, schema, strategy: {}, origin: "builtin" },
    storagePrefix: "/apiregistration.k8s.io/apiservices/",
  });
  const context = serverContext(clock, "");
  return {
    ...{ clock, storage, scope },
    create: (name: string, spec: object) => scope.store.create(apiService(name, spec), context),
    /** Updates an APIService, as another client would. */
    write: (name: string, part: "main" | "status", change: (object: Unstructured) => void) =>
      scope.store.update(
        {
          name,
          part,
          transform: (current) => {
            const next = structuredClone(current) as Unstructured;
            change(next);
            return next;
          },
        },
        context,
      ),
    remove: (name: string) => scope.store.delete(name, { dryRun: false }, context),
    read: async (name: string) => (await scope.store.get("", name)) as Unstructured,
    conditions: async (name: string) => {
      const { status } = await scope.store.get("", name);
      return (status as { conditions?: readonly Readonly<Record<string, string>>[] } | undefined)?.conditions ?? [];
    },
    [Symbol.asyncDispose]: () => storage.close(),
  };
}

export const apiService = (name: string, spec: object): Unstructured => ({
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name },
  spec: { version: "v1", group: "g.io", groupPriorityMinimum: 7, versionPriority: 3, ...spec },
});
