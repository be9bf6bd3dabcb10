import {
  controllerReference,
  type DeepReadonly,
  type KubeObject,
  setControllerReference,
} from "@kubewright/apimachinery";
import { expect, expectTypeOf, it } from "vitest";
import { asReconciler, type ReconcileContext } from "./reconciler.ts";
import { fakeClient } from "./testing/fake-client.ts";

const Sites = { group: "shop.example.com", version: "v1", kind: "Site" };
const metadata = { name: "a", namespace: "web", uid: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
const client = fakeClient({ apiVersion: "shop.example.com/v1", kind: "Site", metadata });
const context = { client, signal: new AbortController().signal } as ReconcileContext;

it("passes the object as it was stored, so that it can own others", async () => {
  const draft: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "b", namespace: "web" } };
  const reconcile = asReconciler(Sites, (site) => {
    expectTypeOf(site.metadata.uid).toEqualTypeOf<string>();
    expectTypeOf(site).toExtend<DeepReadonly<KubeObject>>();
    setControllerReference(site, draft);
    expect(draft.metadata.ownerReferences).toEqual([controllerReference(site)]);
  });
  await reconcile("web/a", context);
  expect(draft.metadata.ownerReferences).toHaveLength(1);
});

it("does nothing for an object that does not exist", async () => {
  const gone = asReconciler(Sites, () => expect.unreachable());
  await expect(gone("web/b", context)).resolves.toBeUndefined();
});
