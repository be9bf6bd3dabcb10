import { defineKind, setControllerReference, typedSchema } from "@kubewright/apimachinery";
import { controllerManagedBy } from "@kubewright/builder";
import { aroundWrites, createOrUpdate, type WriteCall } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { asReconciler } from "@kubewright/controller";
import { Manager } from "@kubewright/manager";
import { expect, it } from "vitest";
import { useServer } from "./server.ts";

const Shop = defineKind({
  group: "sample.example.com",
  version: "v1",
  kind: "Shop",
  scope: "Namespaced",
  spec: typedSchema<{ count: number }>({
    type: "object",
    required: ["count"],
    properties: { count: { type: "integer" } },
  }),
  status: typedSchema<{ count: number }>({ type: "object", properties: { count: { type: "integer" } } }),
});
const { client, env, inNewNamespace } = useServer({ crds: [Shop] });

/** Runs the controller until the shop's status contains the count. Returns its writes. */
async function reconciled(namespace: string, count: number): Promise<string[]> {
  const calls: WriteCall[] = [];
  const noting = aroundWrites(client(), (call, next) => {
    calls.push(call);
    return next(call);
  });
  const manager = new Manager({ connection: env().connection(), metrics: { bindAddress: "0" } });
  controllerManagedBy(manager)
    .for(Shop)
    .owns(ConfigMap)
    .complete(
      asReconciler(Shop, async (shop) => {
        if (shop.metadata.namespace !== namespace) return;
        await createOrUpdate(noting, ConfigMap, `${namespace}/${shop.metadata.name}`, (draft) => {
          draft.data = { count: String(shop.spec.count) };
          setControllerReference(shop, draft);
        });
        await noting.status.update(Shop, { ...shop, status: { count: shop.spec.count } });
      }),
    );
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await expect.poll(async () => (await client().get(Shop, `${namespace}/corner`)).status?.count).toBe(count);
  await expect.poll(() => calls.some(({ subResource }) => subResource === "status")).toBe(true);
  stop.abort();
  await running;
  return [
    ...new Set(calls.map(({ verb, kind, subResource }) => [verb, kind.kind, subResource].filter(Boolean).join(" "))),
  ];
}
const childOf = (namespace: string) => client().get(ConfigMap, `${namespace}/corner`);
const newShop = async (): Promise<string> => {
  const namespace = await inNewNamespace();
  await client().create(Shop, { metadata: { name: "corner", namespace }, spec: { count: 1 } });
  return namespace;
};

it("CL-107 creates the child of a new object, and updates its status", async () => {
  const namespace = await newShop();
  expect(await reconciled(namespace, 1)).toEqual(["create ConfigMap", "update Shop status"]);
  expect(await childOf(namespace)).toMatchObject({
    data: { count: "1" },
    metadata: { ownerReferences: [{ name: "corner" }] },
  });
});

it("CL-108 writes only the status if the child is up to date", async () => {
  const namespace = await newShop();
  await reconciled(namespace, 1);
  expect(await reconciled(namespace, 1)).toEqual(["update Shop status"]);
});

it("CL-109 updates the child and the status for a larger count", async () => {
  const namespace = await newShop();
  await reconciled(namespace, 1);
  await client().patch(Shop, `${namespace}/corner`, { spec: { count: 3 } });
  expect(await reconciled(namespace, 3)).toEqual(["update ConfigMap", "update Shop status"]);
  expect((await childOf(namespace)).data).toEqual({ count: "3" });
});
