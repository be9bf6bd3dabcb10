import { describe, expect, it } from "vitest";
import { CNFNAT } from "../api/cnf-nat.ts";
import { orderAnnotation } from "../api/group.ts";
import { startComposite } from "../testing/composites.ts";
import { fieldsOf } from "../testing/fields-of.ts";
import { cnfHubSite } from "./cnf-hub-site.ts";
import { cnfService } from "./cnf-service.ts";

const spec = { fullname: "foo.example", port: "8866", dport: "8080" };
const right = { src_dport: "8866", dest_ip: "10.0.0.9", dest_port: "8080", index: "2", proto: "tcp", target: "DNAT" };
const finalizer = "cnfservice.finalizers.sdewan.akraino.org";

function start(name?: string) {
  const composite = startComposite(cnfService, name);
  composite.dns.set("foo.example", ["10.0.0.9"]);
  composite.put(spec);
  return composite;
}
/** Marks the object for deletion, as the API server does. */
const deleted = ({ cluster, stored }: ReturnType<typeof start>): void => {
  const object = stored() ?? expect.unreachable();
  cluster.restore({ ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T01:00:00Z" } });
};

describe("the children of a composite", () => {
  it("have all its labels and a controller reference, and are created after its finalizer is set", async () => {
    const { reconcile, children, stored } = start();
    await reconcile();
    const [child] = await children();
    expect(child?.metadata.labels).toEqual({ sdewanPurpose: "edge7", "sdewan-bucket-type": "a-bucket" });
    expect(child?.metadata.ownerReferences).toEqual([
      {
        apiVersion: "batch.sdewan.akraino.org/v1alpha1",
        kind: "CNFService",
        name: "web",
        uid: stored()?.metadata.uid,
        controller: true,
        blockOwnerDeletion: false,
      },
    ]);
    expect(stored()?.metadata.finalizers).toEqual([finalizer]);
  });

  it("get changes of its labels", async () => {
    const { settled, put, children } = start();
    await settled();
    put(spec, { labels: { sdewanPurpose: "edge7", team: "b" } });
    await settled();
    expect((await children())[0]?.metadata).toMatchObject({ labels: { sdewanPurpose: "edge7", team: "b" } });
    expect((await children())[0]?.metadata.labels).not.toHaveProperty("sdewan-bucket-type");
  });

  it("get its order, and follow changes to it", async () => {
    const { settled, put, children } = start();
    const orderOfChild = async () => (await children())[0]?.metadata.annotations?.[orderAnnotation];
    put(spec, { annotations: { [orderAnnotation]: "7", other: "x" } });
    await settled();
    expect((await children())[0]?.metadata.annotations).not.toHaveProperty("other");
    expect(await orderOfChild()).toBe("7");
    put(spec, { annotations: { [orderAnnotation]: "-7" } });
    await settled();
    expect(await orderOfChild()).toBe("-7");
    put(spec, { annotations: {} });
    await settled();
    expect(await orderOfChild()).toBeUndefined();
  });

  it.each<[string, { spec?: object; labels?: Record<string, string>; ownerReferences?: [] }]>([
    ["a field changed", { spec: { ...right, dest_ip: "10.6.6.6" } }],
    ["a field added", { spec: { ...right, src_ip: "10.6.6.6" } }],
    ["a field removed", { spec: { target: "DNAT" } }],
    ["a label changed", { labels: { sdewanPurpose: "other" } }],
    ["the owner removed", { ownerReferences: [] }],
  ])(
    "are restored by a patch in place when edited by hand: %s",
    async (_what, { spec: edited = right, ...metadata }) => {
      const { settled, cluster, children } = start();
      await settled();
      const [child] = await children();
      if (!child) return expect.unreachable();
      cluster.restore({ ...child, metadata: { ...child.metadata, ...metadata }, spec: edited });
      await settled();
      const [restored] = await children();
      expect(restored?.spec).toEqual(right);
      expect(restored?.metadata.labels).toEqual(child.metadata.labels);
      expect(restored?.metadata.ownerReferences).toEqual(child.metadata.ownerReferences);
      expect(restored?.metadata.creationTimestamp).toBe(child.metadata.creationTimestamp);
    },
  );

  it("are created again after they were deleted by hand", async () => {
    const { settled, reconcile, cluster, children, stored } = start();
    await settled();
    const [child] = await children();
    if (!child) return expect.unreachable();
    const deletionTimestamp = "2026-01-01T01:00:00Z";
    cluster.restore({ ...child, metadata: { ...child.metadata, deletionTimestamp, finalizers: ["x/y"] } });
    await reconcile();
    expect(stored()?.status?.message).toBe("waiting for CNFNAT webnat to be deleted");
    cluster.remove(CNFNAT, "default/webnat");
    await settled();
    expect((await children())[0]?.metadata).not.toHaveProperty("deletionTimestamp");
  });

  it("are not written while they are as desired", async () => {
    const { settled, reconcile, children, stored } = start();
    await settled();
    const before = [...(await children()), stored()].map((object) => object?.metadata.resourceVersion);
    expect(await reconcile()).toEqual({ requeueAfterMs: 30_000 });
    expect([...(await children()), stored()].map((object) => object?.metadata.resourceVersion)).toEqual(before);
  });

  it("are awaited, and the message disappears when they are in sync", async () => {
    const { reconcile, settle, stored } = start();
    await reconcile();
    expect(stored()?.status?.message).toBe("waiting for CNFNAT webnat");
    await settle({ state: "Trying to apply", message: "no such interface" });
    await reconcile();
    expect(stored()?.status).toMatchObject({
      sip: "10.0.0.9",
      message: "waiting for CNFNAT webnat: Trying to apply: no such interface",
    });
    await settle();
    await reconcile();
    expect(fieldsOf(stored()?.status)).toEqual({ sip: "10.0.0.9", port: "8866", dport: "8080" });
  });

  it("count as in sync only for their current generation", async () => {
    const { settled, put, reconcile, stored } = start();
    await settled();
    put({ ...spec, port: "9000" });
    await reconcile(); // patches
    await reconcile(); // the child still has In Sync from its previous generation
    expect(stored()?.status?.message).toBe("waiting for CNFNAT webnat");
  });
});

describe("an object of someone else with the name of a child", () => {
  const foreign = (more: object = {}, spec: object = right) => ({
    metadata: { name: "webnat", namespace: "default", ...more },
    spec,
  });
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "x", controller: true };
  const ownLabels = { sdewanPurpose: "edge7", "sdewan-bucket-type": "a-bucket" };

  it.each([
    ["without an owner, and the composite has no status", foreign(), undefined],
    ["without an owner, and different from the status", foreign({}, { ...right, dest_port: "1" }), "10.0.0.9"],
    ["owned by another", foreign({ ownerReferences: [reference] }), "10.0.0.9"],
  ])("is not changed: %s", async (_what, object, sip) => {
    const { cluster, reconcile, stored } = start();
    const before = cluster.put(CNFNAT, object);
    if (sip) cluster.restore({ ...stored(), status: { sip, port: "8866", dport: "8080" } } as never);
    await reconcile();
    expect(stored()?.status?.message).toBe("CNFNAT default/webnat exists and does not belong to this CNFService");
    expect(cluster.peek(CNFNAT, "default/webnat")).toEqual(before);
    cluster.remove(CNFNAT, "default/webnat");
    await reconcile();
    expect(cluster.peek(CNFNAT, "default/webnat")?.metadata.ownerReferences).toHaveLength(1);
  });

  it("is adopted if it has no owner and matches the status exactly", async () => {
    const { cluster, settled, stored } = start();
    cluster.put(CNFNAT, foreign());
    cluster.restore({ ...stored(), status: { sip: "10.0.0.9", port: "8866", dport: "8080" } } as never);
    expect(fieldsOf(await settled())).toEqual({ sip: "10.0.0.9", port: "8866", dport: "8080" });
    const child = cluster.peek(CNFNAT, "default/webnat");
    expect(child?.metadata).toMatchObject({ labels: { sdewanPurpose: "edge7" }, ownerReferences: [{ name: "web" }] });
  });

  it.each([
    ["in another bucket", { labels: { sdewanPurpose: "edge7", "sdewan-bucket-type": "secret-bucket" } }],
    ["in no bucket, but in force", { labels: { sdewanPurpose: "edge7" } }],
    ["in the bucket, but not in force", { labels: { "sdewan-bucket-type": "secret-bucket" } }],
    ["for another CNF", { labels: { sdewanPurpose: "hub", "sdewan-bucket-type": "a-bucket" } }],
    ["older", { labels: ownLabels, creationTimestamp: "2025-12-31T23:59:59Z" }],
  ])("is neither adopted by a composite made to match it, nor deleted with it: %s", async (_what, metadata) => {
    const composite = start();
    const { cluster, reconcile, stored } = composite;
    const before = cluster.put(CNFNAT, foreign(metadata));
    await reconcile(); // now its status describes the other object
    await reconcile();
    expect(stored()?.status?.message).toBe("CNFNAT default/webnat exists and does not belong to this CNFService");
    deleted(composite);
    await reconcile();
    expect(stored()).toBeUndefined();
    expect(cluster.peek(CNFNAT, "default/webnat")).toEqual(before);
  });

  it("is not a child if its owner reference has the uid of the composite but another kind or name", async () => {
    const composite = start();
    const { cluster, reconcile, stored } = composite;
    const uid = stored()?.metadata.uid ?? expect.unreachable();
    const owners = [
      { ...reference, uid },
      { ...reference, uid, apiVersion: "batch.sdewan.akraino.org/v1alpha1", kind: "CNFService", name: "other" },
      { ...reference, uid, apiVersion: "batch.sdewan.akraino.org/v1alpha1", kind: "CNFHubSite", name: "web" },
    ];
    const before = owners.map((owner, index) =>
      cluster.put(CNFNAT, foreign({ name: `other${index}`, ownerReferences: [owner], finalizers: ["a.example/b"] })),
    );
    await reconcile();
    deleted(composite);
    await reconcile(); // its child
    await reconcile();
    expect(stored()).toBeUndefined();
    expect(owners.map((_, index) => cluster.peek(CNFNAT, `default/other${index}`))).toEqual(before);
  });

  it("is adopted, and gets the labels of the composite", async () => {
    const { cluster, reconcile } = start();
    cluster.put(CNFNAT, foreign({ labels: ownLabels }));
    await reconcile();
    await reconcile();
    expect(cluster.peek(CNFNAT, "default/webnat")?.metadata.ownerReferences).toMatchObject([{ name: "web" }]);
  });

  it("stays when the composite is deleted", async () => {
    const composite = start();
    const { cluster, reconcile, stored } = composite;
    await reconcile();
    cluster.remove(CNFNAT, "default/webnat");
    cluster.put(CNFNAT, foreign({ ownerReferences: [reference] }));
    deleted(composite);
    await reconcile();
    expect(stored()).toBeUndefined();
    expect(cluster.peek(CNFNAT, "default/webnat")).toBeDefined();
  });
});

describe("a composite", () => {
  it("is deleted after its children, and reports what it waits for", async () => {
    const composite = start();
    const { settled, reconcile, cluster, children, stored } = composite;
    await settled();
    const [child] = await children();
    if (!child) return expect.unreachable();
    cluster.restore({
      ...child,
      metadata: { ...child.metadata, finalizers: ["cnfnat.finalizers.sdewan.akraino.org"] },
    });
    deleted(composite);
    expect(await reconcile()).toEqual({ requeueAfterMs: 30_000 });
    expect((await children())[0]?.metadata.deletionTimestamp).toBeDefined();
    await composite.settle({ state: "Being delete", message: "no answer" });
    await reconcile();
    expect(stored()?.status?.message).toBe("waiting for CNFNAT webnat to be deleted: Being delete: no answer");
    expect(stored()?.metadata.finalizers).toEqual([finalizer]);
    cluster.remove(CNFNAT, "default/webnat");
    expect(await reconcile()).toBeUndefined();
    expect(stored()).toBeUndefined();
  });

  it("keeps the finalizers of others", async () => {
    const composite = start();
    composite.put(spec, { finalizers: ["others/a"] });
    await composite.reconcile();
    expect(composite.stored()?.metadata.finalizers).toEqual(["others/a", finalizer]);
    deleted(composite);
    await composite.reconcile();
    await composite.reconcile();
    expect(composite.stored()?.metadata.finalizers).toEqual(["others/a"]);
  });

  it("is invalid if the names of its children would be too long", async () => {
    const longest = start("w".repeat(250));
    expect(await longest.settled()).not.toHaveProperty("message");
    const { reconcile, stored, children } = start("w".repeat(251));
    await reconcile();
    expect(stored()?.status?.message).toMatch(
      /^Invalid name: the CNFNAT w+nat would have a name longer than 253 characters$/,
    );
    expect(await children()).toEqual([]);
  });

  it("reports one of several children that it waits for, and the number of the others", async () => {
    const { reconcile, stored, put, settle } = startComposite(cnfHubSite);
    put({ type: "Device", subnet: "10.9.0.0/24", devicepip: "192.168.1.5" });
    await reconcile();
    await settle({ state: "Trying to apply", message: "no interface" });
    await reconcile();
    expect(stored()?.status?.message).toBe("waiting for CNFRoute webroute0: Trying to apply: no interface; and 1 more");
  });
});

describe("the state of a composite", () => {
  const conditionsOf = ({ stored }: ReturnType<typeof start>) =>
    stored()?.status?.conditions?.map(({ status, reason }) => `${status} ${reason}`);
  const reachable = (status: "True" | "False") => [
    { type: "Reachable", status, reason: "Any", message: "m", lastTransitionTime: "2026-01-01T00:00:00Z" },
  ];

  it("is ready when its children are ready, and reachable if their CNF responds", async () => {
    const composite = start();
    const { reconcile, settle, reasons, stored } = composite;
    await reconcile();
    expect(conditionsOf(composite)).toEqual(["False Waiting", "Unknown NoCnf", "Unknown NotApplied"]);
    await settle({ state: "In Sync", conditions: reachable("True") });
    await reconcile();
    expect(conditionsOf(composite)).toEqual(["True Applied", "True Answers", "Unknown NotApplied"]);
    expect(stored()?.status?.observedGeneration).toBe(1);
    const { resourceVersion } = stored()?.metadata ?? {};
    await reconcile();
    expect(stored()?.metadata.resourceVersion).toBe(resourceVersion);
    expect(reasons()).toEqual(["CNFService web: Applied"]);
    await settle({ state: "Trying to apply", message: "m", conditions: reachable("False") });
    await reconcile();
    await reconcile();
    expect(conditionsOf(composite)).toEqual(["False Waiting", "False CnfUnreachable", "Unknown NotApplied"]);
    expect(reasons()).toEqual(["CNFService web: CnfUnreachable"]);
  });

  it("has no effect if one of its children has none, and Events show when this begins and ends", async () => {
    const composite = start();
    const { reconcile, settle, reasons, stored, settled } = composite;
    const effective = (reason: string, status: "False" | "Unknown", message = "") => [
      { type: "Effective", status, reason, message, lastTransitionTime: "2026-01-01T00:00:00Z" },
    ];
    await settled();
    reasons();
    await settle({ state: "In Sync", conditions: effective("Shadowed", "False", "CNFNAT default/othernat is first") });
    await reconcile();
    await reconcile();
    expect(conditionsOf(composite)?.[2]).toBe("False Shadowed");
    expect(stored()?.status?.conditions?.[2]?.message).toBe("CNFNAT default/webnat: CNFNAT default/othernat is first");
    expect(reasons()).toEqual(["CNFService web: Shadowed"]);
    await settle({ state: "In Sync", conditions: effective("NotReported", "Unknown") });
    await reconcile();
    expect(conditionsOf(composite)?.[2]).toBe("Unknown NotReported");
    expect(reasons()).toEqual(["CNFService web: NotShadowed"]);
  });

  it("is refused if it cannot be brought into force, with a single Event", async () => {
    const composite = start();
    composite.put({ ...spec, port: "" });
    await composite.reconcile();
    await composite.reconcile();
    expect(conditionsOf(composite)).toEqual(["False Refused", "Unknown NoCnf", "Unknown NotApplied"]);
    expect(composite.reasons()).toEqual(["CNFService web: Refused"]);
  });

  it("is paused by an annotation, with its children unchanged, also during deletion", async () => {
    const composite = start();
    const { settled, put, dns, shown, cluster, stored, reconcile } = composite;
    await settled();
    const before = await shown();
    put(spec, { annotations: { "kubewright.dev/paused": "true" }, finalizers: [finalizer] });
    dns.set("foo.example", ["10.0.0.10"]);
    await reconcile();
    deleted(composite);
    await reconcile();
    expect(await shown()).toEqual(before);
    expect(conditionsOf(composite)?.[0]).toBe("False Paused");
    const object = stored() ?? expect.unreachable();
    cluster.restore({ ...object, metadata: { ...object.metadata, annotations: {} } });
    await reconcile();
    expect(await shown()).toEqual([]);
  });
});
