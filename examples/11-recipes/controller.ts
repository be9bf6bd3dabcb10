import {
  addFinalizer,
  asReconciler,
  type Condition,
  controllerManagedBy,
  enqueueRequestsFromMapFunc,
  hasFinalizer,
  ignoreNotFound,
  keyOf,
  type Manager,
  mutableCopy,
  type ReconcileContext,
  removeFinalizer,
  rfc3339,
  type Stored,
  setCondition,
} from "kubewright";
import { ConfigMap } from "kubewright/kinds";
import type { Registry } from "./registry.ts";
import { Shop } from "./shop.ts";

const finalizer = "recipes.example.com/registry";
const bySettings = "spec.settings";

export function addShopController(manager: Manager, registry: Registry): void {
  // #region metrics
  const entered = manager.metrics.counter({
    name: "shop_names_entered_total",
    help: "Names entered in the registry, by namespace",
    labelNames: ["namespace"],
  });
  // #endregion metrics
  const reconcile = asReconciler(Shop, async (read, context) => {
    const { client, log, recorder, signal } = context;
    const shop = mutableCopy(read);
    // #region finalizer
    if (shop.metadata.deletionTimestamp) {
      if (!hasFinalizer(shop, finalizer)) return;
      await registry.remove(shop.spec.host, signal);
      removeFinalizer(shop, finalizer);
      await client.update(Shop, shop);
      return;
    }
    if (addFinalizer(shop, finalizer))
      Object.assign(shop, await client.update(Shop, shop));
    // #endregion finalizer
    const settings = await client
      .get(ConfigMap, {
        namespace: shop.metadata.namespace,
        name: shop.spec.settings,
      })
      .catch(ignoreNotFound);
    if (!settings)
      return writeReady(
        shop,
        context,
        "False",
        "NoSettings",
        `waiting for the ConfigMap ${shop.spec.settings}`,
      );
    // #region tell
    await registry.enter(shop.spec.host, signal);
    entered(shop.metadata.namespace ?? "").inc();
    log.info({ host: shop.spec.host }, "entered in the registry");
    recorder.event(shop, {
      reason: "Entered",
      note: `${shop.spec.host} is in the registry`,
    });
    // #endregion tell
    await writeReady(shop, context, "True", "Entered", "");
  });
  // #region index
  controllerManagedBy(manager)
    .for(Shop, { indexes: { [bySettings]: (shop) => [shop.spec.settings] } })
    .watches(
      ConfigMap,
      enqueueRequestsFromMapFunc(
        async ({ metadata: { namespace, name } }, { client }) =>
          (
            await client.list(Shop, {
              namespace,
              fields: { [bySettings]: name },
            })
          ).map(keyOf),
      ),
    )
    .complete(reconcile);
  // #endregion index

  // #region condition
  async function writeReady(
    shop: Stored<Shop>,
    { client, clock }: ReconcileContext,
    status: Condition["status"],
    reason: string,
    message: string,
  ): Promise<void> {
    const conditions = [...(shop.status?.conditions ?? [])];
    const { generation: observedGeneration = 0 } = shop.metadata;
    const now = rfc3339(clock.now());
    if (
      setCondition(
        conditions,
        { type: "Ready", status, reason, message, observedGeneration },
        now,
      )
    )
      await client.status.patch(Shop, shop, { conditions });
  }
  // #endregion condition
}
