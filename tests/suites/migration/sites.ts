import {
  addFinalizer,
  applyAndTakeOver,
  asReconciler,
  controllerManagedBy,
  controllerReference,
  defineKind,
  hasFinalizer,
  ignoreNotFound,
  type Manager,
  mutableCopy,
  type Reconciler,
  removeFinalizer,
} from "kubewright";
import { ConfigMap } from "kubewright/kinds";
import { Type } from "typebox";

// #region kind
export const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: Type.Object({ title: Type.String({ minLength: 1, maxLength: 40 }) }),
  status: Type.Object({ observedGeneration: Type.Optional(Type.Integer()) }),
});
// #endregion kind

/** Properties of the program that this program replaces. */
export interface FormerProgram {
  /** Finalizer that the former program sets and removes. */
  readonly finalizer: string;
  /** Field owners of the objects that the former program wrote. */
  readonly owners: readonly string[];
}

// #region controller
export function addSites(manager: Manager, { finalizer, owners }: FormerProgram): void {
  const takeOver = { fieldOwner: "sites", from: owners };
  const reconcile = asReconciler(Site, async (read, { client }) => {
    const site = mutableCopy(read);
    const { name, namespace, generation } = site.metadata;
    const record = { namespace: "records", name };
    if (site.metadata.deletionTimestamp) {
      if (!hasFinalizer(site, finalizer)) return;
      await client.delete(ConfigMap, record).catch(ignoreNotFound);
      removeFinalizer(site, finalizer);
      await client.update(Site, site);
      return;
    }
    if (addFinalizer(site, finalizer)) {
      const updated = await client.update(Site, site);
      Object.assign(site, updated);
    }
    const data = { title: site.spec.title };
    await applyAndTakeOver(client, ConfigMap, { metadata: record, data }, takeOver);
    const page = {
      metadata: {
        namespace,
        name: `${name}-page`,
        ownerReferences: [controllerReference(site)],
      },
      data: { "index.html": `<h1>${data.title}</h1>` },
    };
    await applyAndTakeOver(client, ConfigMap, page, takeOver);
    if (site.status?.observedGeneration !== generation)
      await client.status.patch(Site, site, { observedGeneration: generation });
  });
  manager.needs(Site, ["update"]);
  manager.needs(ConfigMap, ["create", "patch", "delete"]);
  controllerManagedBy(manager).for(Site).owns(ConfigMap).complete(reported(reconcile));
}
// #endregion controller

/**
 * Prints the start and the end of each reconcile. The test checks that no other program reconciles the same Site at the same time.
 */
const reported =
  (reconcile: Reconciler): Reconciler =>
  async (request, context) => {
    const name = request.slice(request.indexOf("/") + 1);
    const report = (what: string): boolean =>
      process.stdout.write(`${what} ${name} ${Math.floor(context.clock.now())}\n`);
    report("begin");
    try {
      return await reconcile(request, context);
    } finally {
      report("end");
    }
  };
