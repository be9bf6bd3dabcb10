import { describe, expect, it } from "vitest";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { orderAnnotation } from "../api/group.ts";
import { putCnf } from "../testing/fixtures.ts";
import { metadata, type ReconcilersOptions, startReconcilers } from "../testing/reconcilers.ts";

const path = "firewall/v1/rules";

function start(addresses: readonly string[] = ["10.0.0.1"], options: ReconcilersOptions = {}) {
  const all = startReconcilers(addresses, options);
  const { cluster, reconcile } = all;
  const put = (name: string, order?: string, more: object = {}) =>
    cluster.put(FirewallRule, {
      metadata: {
        ...metadata,
        name,
        ...(order === undefined ? {} : { annotations: { [orderAnnotation]: order } }),
        creationTimestamp: "2026-01-01T00:00:00Z",
        ...more,
      },
      spec: { target: "DROP" },
    });
  const stored = (name: string) => cluster.peek(FirewallRule, `default/${name}`) ?? expect.unreachable();
  const again = (...names: readonly string[]) => Promise.all(names.map((name) => reconcile(stored(name))));
  const annotate = (name: string, order: string | null) =>
    cluster.client.patch(FirewallRule, `default/${name}`, { metadata: { annotations: { [orderAnnotation]: order } } });
  const order = (address = "10.0.0.1"): string => [...(all.cnf(address).collections.get(path)?.keys() ?? [])].join(" ");
  return { ...all, put, stored, again, annotate, order };
}

describe("the order of rules", () => {
  it("is the same on every pod, and on a pod that is added later", async () => {
    const { cluster, put, again, order } = start(["10.0.0.1", "10.0.0.2"]);
    put("deny-all", "10");
    put("permit-mgmt");
    await again("deny-all");
    await again("permit-mgmt");
    expect([order("10.0.0.1"), order("10.0.0.2")]).toEqual(["permit-mgmt deny-all", "permit-mgmt deny-all"]);
    putCnf(cluster, "edge7", ["10.0.0.1", "10.0.0.2", "10.0.0.3"]);
    await again("deny-all", "permit-mgmt");
    expect(order("10.0.0.3")).toBe("permit-mgmt deny-all");
  });

  it("goes by the creation time of the resources, then by their name", async () => {
    const { put, again, order } = start();
    put("a", undefined, { creationTimestamp: "2026-01-01T00:00:02Z" });
    put("c", undefined, { creationTimestamp: "2026-01-01T00:00:01Z" });
    put("b", undefined, { creationTimestamp: "2026-01-01T00:00:01Z" });
    await again("a", "b", "c");
    expect(order()).toBe("b c a");
  });

  it("changes with the annotation, which the status records", async () => {
    const { put, again, annotate, stored, order, reasons, cnf } = start();
    put("a");
    put("b");
    await again("a", "b");
    expect(stored("a").status?.appliedOrder).toBe(0);
    reasons();
    await annotate("b", "-1");
    await again("b");
    expect(order()).toBe("b a");
    expect(stored("b").status).toMatchObject({ state: "In Sync", appliedOrder: -1 });
    expect(reasons()).toEqual(["FirewallRule b: Applied"]);
    cnf("10.0.0.1").requests.length = 0;
    await annotate("b", "-2"); // in the same place
    await again("b");
    expect(stored("b").status?.appliedOrder).toBe(-2);
    expect(cnf("10.0.0.1").requests).toEqual([`GET ${path}`]);
  });

  it("is not written repeatedly if the CRD lacks the status field", async () => {
    const { put, again, stored, cluster } = start();
    put("a", "3");
    await again("a");
    await cluster.client.status.patch(FirewallRule, "default/a", { appliedOrder: null }); // as the reference CRD prunes it
    const { resourceVersion } = stored("a").metadata;
    await again("a");
    await again("a");
    expect(stored("a").metadata.resourceVersion).toBe(resourceVersion);
  });

  it("is restored after a restart of the operator, and takes effect if its reload was interrupted", async () => {
    const before = start();
    before.put("a", "1");
    before.put("b", "2");
    await before.again("a", "b");
    await before.annotate("b", "0");
    before
      .cnf("10.0.0.1")
      .collections.set(
        path,
        new Map(
          ["b", "a"].map((name) => [name, { ...before.cnf("10.0.0.1").collections.get(path)?.get(name) }]),
        ) as never,
      );
    const { again, order, cnf, stored } = start(["10.0.0.1"], { before });
    cnf("10.0.0.1").requests.length = 0;
    await again("a", "b");
    expect(order()).toBe("b a");
    expect(cnf("10.0.0.1").requests).toEqual([`GET ${path}`, "reload firewall"]);
    expect(stored("b").status?.appliedOrder).toBe(0);
  });

  it("is unchanged by a malformed annotation, which the status names with the remedy", async () => {
    const { put, again, annotate, stored, order, cnf } = start();
    put("a");
    put("b");
    await again("a", "b");
    await annotate("a", "last");
    cnf("10.0.0.1").requests.length = 0;
    await again("a");
    expect(cnf("10.0.0.1").requests).toEqual([]);
    expect(stored("a").status).toMatchObject({
      state: "Trying to apply",
      message:
        'annotation sdewan.akraino.org/order: "last" is not an integer from -1000000 to 1000000; change it, or remove the annotation for 0',
      conditions: [{ type: "Ready", reason: "InvalidSpec" }, {}, {}],
    });
    await annotate("b", "-1");
    await again("b");
    expect(order()).toBe("b a");
    await annotate("a", "-5");
    await again("a");
    expect([order(), stored("a").status?.state]).toEqual(["a b", "In Sync"]);
  });

  it("does not prevent the deletion of a resource with a malformed annotation", async () => {
    const { cluster, put, again, annotate, order } = start();
    put("a");
    await again("a");
    await annotate("a", "last");
    await cluster.client.delete(FirewallRule, "default/a");
    await again("a");
    expect(order()).toBe("");
    expect(cluster.peek(FirewallRule, "default/a")).toBeUndefined();
  });

  it("is restored after a move by others, which an Event names", async () => {
    const { put, again, order, cnf, reasons, events } = start();
    put("a");
    put("b");
    await again("a", "b");
    reasons();
    const objects = cnf("10.0.0.1").collections.get(path) ?? expect.unreachable();
    const a = objects.get("a") ?? expect.unreachable();
    objects.delete("a");
    objects.set("a", a);
    await again("b");
    expect(order()).toBe("a b");
    expect(JSON.stringify(events)).toContain("was moved, and was restored");
  });

  it("is not restored after a move by others if changes by others are only reported", async () => {
    const { put, again, order, cnf, stored } = start(["10.0.0.1"], { drift: "report" });
    put("a");
    put("b");
    await again("a", "b");
    const objects = cnf("10.0.0.1").collections.get(path) ?? expect.unreachable();
    const a = objects.get("a") ?? expect.unreachable();
    objects.delete("a");
    objects.set("a", a);
    const moved = stored("a");
    await again("a", "b");
    expect(order()).toBe("b a");
    const messages = ["a", "b"].flatMap((name) => stored(name).status?.message ?? []);
    expect(messages).toEqual([
      "The object on the CNF was moved, and the operator does not restore the order because of --drift=report",
    ]);
    expect(moved.status?.state).toBe("In Sync");
  });
});
