import type { KubeObject } from "@kubewright/apimachinery";
import { Deployment, Pod, Secret } from "@kubewright/client/kinds";
import { silentLogger } from "@kubewright/log";
import { OpenWrtError, OpenWrtNetworkError } from "@kubewright/openwrt";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { confirmAnnotation, orderAnnotation, probeAnnotation, retryAnnotation } from "../api/group.ts";
import { IpsecSite } from "../api/ipsec/ipsec-remotes.ts";
import { putCnf, putPod } from "../testing/fixtures.ts";
import { type ReconcilersOptions, startReconcilers } from "../testing/reconcilers.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";
import { ConfirmationStore, StoredConfirmations } from "./confirmation-store.ts";
import { decoded, encoded } from "./confirmed-set.ts";

const address = "10.0.0.7";
const path = "firewall/v1/rules";

/** A world whose TCP probe fails while `isCut` returns true. */
function start(options: ReconcilersOptions & { readonly addresses?: readonly string[] } = {}) {
  const state = { isCut: false };
  const { addresses = [address], ...others } = options;
  const world = startReconcilers(options.before ? undefined : addresses, {
    confirmChangesMs: 3_000,
    connectTcp: async () => {
      if (state.isCut) throw new Error("refused");
    },
    ...others,
  });
  const { cluster, clock } = world;
  if (!options.before) annotate({ [probeAnnotation]: "tcp/10.9.9.9:443" });

  function annotate(annotations: Record<string, string>): void {
    const deployment = cluster.peek(Deployment, "cnfs/edge7");
    if (deployment) cluster.put(Deployment, { ...deployment, metadata: { ...deployment.metadata, annotations } });
  }
  const put = (name: string, target: string, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject =>
    cluster.put<RuleObject>(FirewallRule, {
      ...cluster.peek(FirewallRule, `default/${name}`),
      metadata: {
        ...cluster.peek(FirewallRule, `default/${name}`)?.metadata,
        ...{ name, namespace: "default", uid: `uid-${name}`, labels: { sdewanPurpose: "edge7" } },
        ...metadata,
      },
      spec: { src_ip: "192.0.2.1", target },
    });
  const stored = (name: string) => cluster.peek<RuleObject>(FirewallRule, `default/${name}`);
  /** Changes a rule like a user, and reconciles it. */
  const change = (name: string, target: string) =>
    world.reconcile(put(name, target, { generation: (stored(name)?.metadata.generation ?? 0) + 1 }));
  const statusOf = (name: string) => stored(name)?.status;
  const reasonOf = (name: string) => statusOf(name)?.conditions?.find(({ type }) => type === "Ready")?.reason;
  const onCnf = (at = address) =>
    Object.fromEntries([...(world.cnf(at).collections.get(path) ?? [])].map(([name, { target }]) => [name, target]));
  const writes = (at = address): string[] =>
    world
      .cnf(at)
      .requests.splice(0)
      .filter((request) => !request.startsWith("GET"));
  const saved = () => {
    const text = cluster.peek(Secret, "sdewan-system/sdewan-confirmed-deployment-cnfs-edge7")?.data?.confirmed;
    return text === undefined ? undefined : decoded(Buffer.from(text, "base64"));
  };
  /** Ends this process like a kill, and starts another. */
  const successor = () => start({ before: { cluster, cnfs: world.cnfs } });
  return { ...world, state, annotate, put, change, stored, statusOf, reasonOf, onCnf, writes, saved, successor, clock };
}

/** A world whose CNF has the confirmed rules a and b. */
async function guarded(options: Parameters<typeof start>[0] = {}) {
  const world = start(options);
  await world.change("a", "ACCEPT");
  await world.change("b", "ACCEPT");
  await world.clock.advance(35_000);
  world.writes();
  world.reasons();
  return world;
}

describe("Confirmations", () => {
  it("stores nothing and asks nothing without the option", async () => {
    const { change, saved, cnf, reasonOf } = start({ confirmChangesMs: 0 });
    await change("a", "ACCEPT");
    expect(saved()).toBeUndefined();
    expect(cnf(address).requests.filter((request) => request.includes("status"))).toEqual([]);
    expect(reasonOf("a")).toBe("Applied");
  });

  it("confirms the first set as soon as the probes pass", async () => {
    const { change, saved, state, clock, reasonOf } = start();
    state.isCut = true;
    await change("a", "ACCEPT");
    expect(reasonOf("a")).toBe("Applied");
    expect(saved()).toBeUndefined();
    state.isCut = false;
    await clock.advance(30_000);
    expect([...(saved()?.sets.get("Pod-cnfs-edge7-0")?.keys() ?? [])]).toEqual([`${path}/a`]);
  });

  it("completes a change once the probes pass", async () => {
    const { change, state, clock, onCnf, reasonOf, stored } = await guarded();
    state.isCut = true;
    const changed = change("a", "DROP");
    await clock.advance(1_500);
    expect(onCnf()).toEqual({ a: "DROP", b: "ACCEPT" });
    expect(stored("a")?.status).toMatchObject({ state: "In Sync", appliedGeneration: 1 });
    expect(reasonOf("a")).toBe("Applied");
    state.isCut = false;
    await changed;
    expect(onCnf()).toEqual({ a: "DROP", b: "ACCEPT" });
    expect(stored("a")?.status).toMatchObject({ state: "In Sync", appliedGeneration: 2 });
  });

  it("puts the last confirmed objects back if the probes fail", async () => {
    const { change, state, onCnf, statusOf, reasonOf, reasons, saved, writes } = await guarded();
    state.isCut = true;
    const result = await change("a", "DROP");
    expect(result).toBeUndefined(); // no retry
    expect(onCnf()).toEqual({ a: "ACCEPT", b: "ACCEPT" });
    expect(writes()).toEqual([
      ...["PUT firewall/v1/rules/a", "PUT firewall/v1/rules/b", "reload firewall"],
      ...["PUT firewall/v1/rules/a", "PUT firewall/v1/rules/b", "reload firewall"],
    ]);
    expect(reasonOf("a")).toBe("RolledBack");
    expect(statusOf("a")?.message).toBe(
      "Rolled back: tcp/10.9.9.9:443: the operator cannot connect, 3 s after the change. The CNF has the last confirmed " +
        "objects. To try again, change the resource or its annotation sdewan.akraino.org/retry",
    );
    expect(statusOf("a")).toMatchObject({ state: "Trying to apply" });
    expect(reasons()).toEqual(["FirewallRule a: RolledBack"]);
    expect(saved()?.holds).toMatchObject([
      { resources: [{ uid: "uid-a", origin: { kind: "FirewallRule", key: "default/a" } }] },
    ]);
  });

  it("deletes a new object that was rolled back, and applies unrelated changes", async () => {
    const { change, state, onCnf, reasonOf, reconcile, stored, writes } = await guarded();
    state.isCut = true;
    await change("c", "DROP");
    expect(onCnf()).toEqual({ a: "ACCEPT", b: "ACCEPT" });
    expect(reasonOf("c")).toBe("RolledBack");
    state.isCut = false;
    await change("b", "REJECT");
    expect(onCnf()).toEqual({ a: "ACCEPT", b: "REJECT" });
    writes();
    const held = stored("c");
    if (held) await reconcile(held);
    expect(writes()).toEqual([]);
    expect(reasonOf("c")).toBe("RolledBack");
  });

  it("tries all changes of a batch again once one of them changes", async () => {
    const { put, reconcile, state, onCnf, triggered, change, reasonOf } = await guarded();
    state.isCut = true;
    const [c, d] = [put("c", "DROP"), put("d", "REJECT")];
    await Promise.all([reconcile(c), reconcile(d)]);
    expect([reasonOf("c"), reasonOf("d")]).toEqual(["RolledBack", "RolledBack"]);
    state.isCut = false;
    await change("c", "ACCEPT");
    expect(onCnf()).toEqual({ a: "ACCEPT", b: "ACCEPT", c: "ACCEPT" });
    expect(triggered).toEqual(["FirewallRule default/d"]);
    await reconcile(d);
    expect(onCnf()).toMatchObject({ c: "ACCEPT", d: "REJECT" });
    expect(reasonOf("d")).toBe("Applied");
  });

  it("tries all changes of a batch again, even if the response to the end of the hold is lost", async () => {
    const { put, reconcile, state, onCnf, triggered, change } = await guarded();
    state.isCut = true;
    const [c, d] = [put("c", "DROP"), put("d", "REJECT")];
    await Promise.all([reconcile(c), reconcile(d)]);
    state.isCut = false;
    const { save } = StoredConfirmations.prototype;
    const saving = vi.spyOn(StoredConfirmations.prototype, "save").mockImplementationOnce(async function (
      this: StoredConfirmations,
    ) {
      await save.call(this);
      throw new Error("connection lost");
    });
    onTestFinished(() => saving.mockRestore());
    expect(await change("c", "ACCEPT")).toEqual({ requeueAfterMs: 1_000 });
    expect(triggered).toEqual(["FirewallRule default/d"]);
    await reconcile(d);
    expect(onCnf()).toMatchObject({ d: "REJECT" });
  });

  it("tries again what another process released", async () => {
    const { change, state, cluster, triggered, reconcile, stored, onCnf } = await guarded();
    state.isCut = true;
    await change("c", "DROP");
    state.isCut = false;
    const key = "sdewan-system/sdewan-confirmed-deployment-cnfs-edge7";
    const { sets } = decoded(Buffer.from(cluster.peek(Secret, key)?.data?.confirmed ?? "", "base64"));
    await cluster.client.patch(Secret, key, { data: { confirmed: encoded({ sets, holds: [] }).toString("base64") } });
    expect(await change("b", "REJECT")).toEqual({ requeueAfterMs: 1_000 }); // a conflict
    expect(triggered).toEqual(["FirewallRule default/c"]);
    await reconcile(stored("c") ?? expect.unreachable());
    expect(onCnf()).toMatchObject({ c: "DROP" });
  });

  it("does not save what it read before a write failed", async () => {
    const { cluster, saved } = await guarded();
    const deployment = cluster.peek(Deployment, "cnfs/edge7") ?? expect.unreachable();
    const store = new ConfirmationStore({
      client: { ...cluster.client, patch: () => Promise.reject(new Error("connection lost")) },
      live: cluster.client,
      namespace: "sdewan-system",
      logger: silentLogger,
    });
    const before = await store.of(deployment);
    before.sets.clear();
    const [first, second] = [before.save(), before.save()];
    await expect(first).rejects.toThrow("connection lost");
    await expect(second).rejects.toThrow("connection lost");
    await expect(before.save()).rejects.toThrow("connection lost");
    const after = await store.of(deployment);
    expect([after === before, after.sets.size, saved()?.sets.size]).toEqual([false, 1, 1]);
  });

  it.each([
    ["the annotation retry", { annotations: { [retryAnnotation]: "1" } }],
    ["the order", { annotations: { [orderAnnotation]: "7" } }],
    ["the identity", { uid: "uid-other" }],
  ])("tries again after a change of %s", async (_what, metadata) => {
    const { put, change, reconcile, state, onCnf } = await guarded();
    state.isCut = true;
    await change("c", "DROP");
    expect(onCnf()).not.toHaveProperty("c");
    state.isCut = false;
    await reconcile(put("c", "DROP", { ...metadata }));
    expect(onCnf()).toHaveProperty("c", "DROP");
  });

  it("puts a deleted object back, and keeps the finalizer of its resource", async () => {
    const { put, reconcile, state, onCnf, stored, reasonOf } = await guarded();
    state.isCut = true;
    await reconcile(put("a", "ACCEPT", { deletionTimestamp: "2026-01-01T01:00:00Z", generation: 2 }));
    expect(onCnf()).toEqual({ a: "ACCEPT", b: "ACCEPT" });
    expect(stored("a")?.metadata.finalizers).toHaveLength(1);
    expect(reasonOf("a")).toBe("RolledBack");
    state.isCut = false;
    await reconcile(
      put("a", "ACCEPT", { annotations: { ...stored("a")?.metadata.annotations, [retryAnnotation]: "1" } }),
    );
    expect(onCnf()).toEqual({ b: "ACCEPT" });
    expect(stored("a")).toBeUndefined();
  });

  it("limits the number of changes that wait for a confirmation", async () => {
    const { change, put, begin, state, clock, reasonOf, onCnf } = await guarded();
    state.isCut = true;
    const first = change("a", "DROP");
    await clock.advance(1_000);
    const names = Array.from({ length: 40 }, (_, index) => `w${index}`);
    const waiting = names.map((name) => begin(put(name, "ACCEPT")));
    await clock.advance(0);
    expect(names.filter((name) => reasonOf(name) === "Waiting")).toHaveLength(8);
    expect(Object.keys(onCnf())).toEqual(["a", "b"]);
    state.isCut = false;
    await first;
    await clock.advance(10_000);
    await Promise.all(waiting);
    expect(names.filter((name) => reasonOf(name) === "Applied")).toHaveLength(32);
  });

  it("restores the order of the last confirmed set", async () => {
    const { put, reconcile, state, cnf } = await guarded();
    const names = () => [...(cnf(address).collections.get(path)?.keys() ?? [])];
    expect(names()).toEqual(["a", "b"]);
    state.isCut = true;
    await reconcile(put("a", "ACCEPT", { annotations: { [orderAnnotation]: "5" } }));
    expect(names()).toEqual(["a", "b"]);
  });

  it("lets the patrol enforce the confirmed object instead of the refused one", async () => {
    const { change, state, cnf, onCnf, pool, reconcile, stored, reasonOf } = await guarded();
    state.isCut = true;
    await change("a", "DROP");
    cnf(address).collections.get(path)?.set("a", { name: "a", target: "MARK" });
    const [session] = pool.sessions.values();
    expect(await session?.missing()).toEqual([{ kind: "FirewallRule", key: "default/a" }]);
    const held = stored("a");
    if (held) await reconcile(held);
    expect(onCnf()).toEqual({ a: "ACCEPT", b: "ACCEPT" });
    expect(reasonOf("a")).toBe("RolledBack");
  });

  it("continues a hold in the next process, without a restart of a service", async () => {
    const before = await guarded();
    before.state.isCut = true;
    await before.change("a", "DROP");
    before.writes();
    const { reconcile, stored, reasonOf, writes, onCnf } = before.successor();
    for (const name of ["a", "b"]) {
      const rule = stored(name);
      if (rule) await reconcile(rule);
    }
    expect(writes()).toEqual([]);
    expect(onCnf()).toEqual({ a: "ACCEPT", b: "ACCEPT" });
    expect(reasonOf("a")).toBe("RolledBack");
  });

  it("repeats the confirmation in the next process", async () => {
    const before = await guarded();
    before.state.isCut = true;
    void before.begin(before.put("a", "DROP", { generation: 2 })); // killed before it ends
    await before.clock.advance(1_000);
    expect(before.onCnf()).toEqual({ a: "DROP", b: "ACCEPT" });
    const after = before.successor();
    after.state.isCut = true;
    const rule = after.stored("a");
    if (rule) await after.reconcile(rule);
    expect(after.onCnf()).toEqual({ a: "ACCEPT", b: "ACCEPT" });
    expect(after.reasonOf("a")).toBe("RolledBack");
  });

  it("completes an interrupted roll-back in the next process", async () => {
    const before = await guarded();
    before.state.isCut = true;
    const cnf = before.cnf(address);
    cnf.fail = (request) =>
      request.startsWith("PUT") && (before.saved()?.holds.length ?? 0) > 0
        ? new OpenWrtNetworkError(request, "refused")
        : undefined;
    await before.change("a", "DROP");
    expect(before.onCnf()).toMatchObject({ a: "DROP" });
    expect(before.reasonOf("a")).toBe("CnfUnreachable");
    cnf.fail = () => undefined;
    const after = before.successor();
    const rule = after.stored("a");
    if (rule) expect(await after.reconcile(rule)).toBeUndefined();
    expect(after.onCnf()).toEqual({ a: "ACCEPT", b: "ACCEPT" });
    expect(after.reasonOf("a")).toBe("RolledBack");
    expect(after.saved()?.holds).toMatchObject([{ resources: [{ restoredOn: ["Pod-cnfs-edge7-0"] }] }]);
  });

  it("says that a change was rolled back, even if the CNF refuses the former object, and retries on request", async () => {
    const { change, cnf, state, clock, put, stored, reasonOf, statusOf, reconcile, onCnf } = await guarded();
    state.isCut = true;
    await change("a", "DROP");
    cnf(address).collections.clear();
    cnf(address).fail = (request) => (request === `POST ${path} a` ? new OpenWrtError(428, "not defined") : undefined);
    await clock.advance(60_000);
    const again = () => reconcile(stored("a") ?? expect.unreachable());
    expect(await again()).toEqual({ requeueAfterMs: 5_000 });
    expect(reasonOf("a")).toBe("RolledBack");
    expect(statusOf("a")?.message).toMatch(/^Rolled back: .*\. The CNF rejects the previous object: .*not defined/);
    expect(statusOf("a")?.message).not.toContain("has the last confirmed objects");
    cnf(address).fail = () => undefined;
    expect(await again()).toBeUndefined();
    expect(onCnf()).toMatchObject({ a: "ACCEPT" });
    cnf(address).collections.clear();
    cnf(address).fail = (request) => (request === `POST ${path} a` ? new OpenWrtError(428, "not defined") : undefined);
    await again();
    put("a", "DROP", { deletionTimestamp: "2026-01-01T00:00:00Z", annotations: { [retryAnnotation]: "1" } });
    state.isCut = false;
    await again();
    expect(onCnf()).not.toHaveProperty("a");
  });

  it("reports a CNF that does not answer since a change, and decides when it answers again", async () => {
    const { change, cnf, onCnf, statusOf, reasonOf, reconcile, stored, state, reasons } = await guarded();
    cnf(address).fail = (request) =>
      request === "GET status/ipsec" ? new OpenWrtNetworkError(request, "refused") : undefined;
    const result = await change("a", "DROP");
    expect(result?.requeueAfterMs).toBe(1_000);
    expect(statusOf("a")?.message).toContain("The CNF has not responded since the change, for 3 s.");
    expect(reasonOf("a")).toBe("CnfUnreachable");
    expect(reasons()).toContain("Pod edge7-0: Unconfirmed");
    expect(onCnf()).toMatchObject({ a: "DROP" });
    cnf(address).fail = () => undefined;
    state.isCut = true;
    const rule = stored("a");
    if (rule) await reconcile(rule);
    expect(onCnf()).toMatchObject({ a: "ACCEPT" });
    expect(reasonOf("a")).toBe("RolledBack");
  });

  it("does not roll back a change that a CNF refused or never received", async () => {
    const { change, cnf, saved, reasonOf, state } = await guarded();
    state.isCut = true;
    cnf(address).fail = (request) =>
      request.startsWith("GET firewall") ? new OpenWrtNetworkError(request, "refused") : undefined;
    await change("c", "DROP");
    expect(reasonOf("c")).toBe("CnfUnreachable");
    expect(saved()?.holds).toEqual([]);
  });

  it("holds a refused change on a new pod of the CNF", async () => {
    const { change, state, cluster, onCnf, reconcile, stored, clock, saved } = await guarded();
    state.isCut = true;
    await change("a", "DROP");
    state.isCut = false;
    cluster.remove(Pod, "cnfs/edge7-0");
    putPod(cluster, "edge7", 1, "10.0.0.8");
    for (const name of ["a", "b"]) {
      const rule = stored(name);
      if (rule) await reconcile(rule);
    }
    expect(onCnf("10.0.0.8")).toEqual({ a: "ACCEPT", b: "ACCEPT" });
    await clock.advance(35_000);
    expect([...(saved()?.sets ?? [])].map(([uid, set]) => [uid, set.size])).toEqual([["Pod-cnfs-edge7-1", 2]]);
  });

  it("decides about each pod", async () => {
    const { change, reasonOf, statusOf, annotate, cnf, onCnf, cluster, clock } = start({
      addresses: [address, "10.0.0.8"],
    });
    annotate({ [probeAnnotation]: "tunnel/site-a" });
    cluster.put<RuleObject>(IpsecSite, {
      metadata: { name: "site-a", namespace: "cnfs", labels: { sdewanPurpose: "edge7" } },
      spec: { connections: [{ name: "c", mode: "start" }] },
    });
    const tunnels = (up: string) => [{ name: "ipsec", status: { InitConnection: "success", details: [{ up }] } }];
    for (const at of [address, "10.0.0.8"]) cnf(at).modules = tunnels("1");
    await change("a", "ACCEPT");
    await clock.advance(35_000);
    cnf("10.0.0.8").modules = tunnels("0");
    await change("a", "DROP");
    expect([onCnf(), onCnf("10.0.0.8")]).toEqual([{ a: "DROP" }, { a: "ACCEPT" }]);
    expect(reasonOf("a")).toBe("RolledBack");
    expect(statusOf("a")?.message).toContain("edge7-1: Rolled back: tunnel/site-a: the tunnel is down");
  });

  it("does not try a change on a new pod that was confirmed on one pod, and rolled back on another", async () => {
    const { annotate, change, cluster, cnf, clock, reasonOf, onCnf, stored, reconcile } = start({
      addresses: [address, "10.0.0.8"],
    });
    annotate({ [probeAnnotation]: "tunnel/site-a" });
    cluster.put<RuleObject>(IpsecSite, {
      metadata: { name: "site-a", namespace: "cnfs", labels: { sdewanPurpose: "edge7" } },
      spec: { connections: [{ name: "c", mode: "start" }] },
    });
    const tunnel = (at: string, up: string): void => {
      cnf(at).modules = [{ name: "ipsec", status: { InitConnection: "success", details: [{ up }] } }];
    };
    for (const at of [address, "10.0.0.8"]) tunnel(at, "1");
    await change("a", "ACCEPT");
    await clock.advance(35_000);
    tunnel(address, "0");
    await Promise.all([change("a", "DROP"), change("c", "DROP")]);
    expect([onCnf(), onCnf("10.0.0.8")]).toEqual([{ a: "ACCEPT" }, { a: "DROP", c: "DROP" }]);
    expect([reasonOf("a"), reasonOf("c")]).toEqual(["RolledBack", "RolledBack"]);
    putPod(cluster, "edge7", 2, "10.0.0.9");
    tunnel("10.0.0.9", "1");
    for (let round = 0; round < 2; round++) {
      for (const name of ["a", "c"]) {
        const rule = stored(name);
        if (rule) await reconcile(rule);
      }
      expect(onCnf("10.0.0.9")).toEqual({ a: "ACCEPT" });
      expect([reasonOf("a"), reasonOf("c")]).toEqual(["RolledBack", "RolledBack"]);
      await clock.advance(35_000); // confirms the first set
    }
  });

  it("ends all holds when the Deployment no longer asks for confirmations", async () => {
    const { change, state, annotate, reconcile, stored, onCnf, saved } = await guarded();
    state.isCut = true;
    await change("a", "DROP");
    annotate({ [confirmAnnotation]: "off" });
    const rule = stored("a");
    if (rule) await reconcile(rule);
    expect(onCnf()).toMatchObject({ a: "DROP" });
    expect(saved()).toBeUndefined();
  });

  it("applies nothing while an annotation is malformed", async () => {
    const { change, annotate, onCnf, statusOf } = await guarded();
    annotate({ [probeAnnotation]: "ping/10.0.0.1" });
    await change("a", "DROP");
    expect(onCnf()).toEqual({ a: "ACCEPT", b: "ACCEPT" });
    expect(statusOf("a")?.message).toContain(
      `Annotation ${probeAnnotation} of the Deployment cnfs/edge7: "ping/10.0.0.1" is`,
    );
  });

  it("deletes what is stored about CNFs that no longer exist", async () => {
    const { cluster, confirmations, clock, saved } = await guarded();
    const stop = new AbortController();
    const running = confirmations.run(stop.signal);
    await clock.advance(0);
    expect(saved()).toBeDefined();
    cluster.remove(Deployment, "cnfs/edge7");
    await clock.advance(600_000);
    expect(saved()).toBeUndefined();
    stop.abort();
    await running;
  });

  it("keeps the objects of a CNF out of plain text", async () => {
    const { cluster } = await guarded();
    const secret = cluster.peek(Secret, "sdewan-system/sdewan-confirmed-deployment-cnfs-edge7");
    expect(Object.keys(secret?.data ?? {})).toEqual(["confirmed"]);
    expect(Buffer.from(secret?.data?.confirmed ?? "", "base64").toString("latin1")).not.toContain("192.0.2.1");
  });

  it("reports a set that is too large, and applies changes without a roll-back", async () => {
    const { change, reasons, saved, clock, reasonOf } = start({ maxSetBytes: 50 });
    await change("big", "ACCEPT");
    await clock.advance(5_000);
    expect([reasonOf("big"), saved()]).toEqual(["Applied", undefined]);
    expect(reasons()).toContain("Deployment edge7: Unconfirmed");
  });

  it("does not confirm changes of pods whose Deployment was replaced", async () => {
    const { cluster, change, saved, clock } = start();
    await change("a", "ACCEPT");
    putCnf(cluster, "edge7", [address]);
    await clock.advance(5_000);
    expect(saved()?.sets.size ?? 0).toBe(1);
  });
});
