import type { KubeObject } from "@kubewright/apimachinery";
import { silentLogger } from "@kubewright/log";
import { CnfSimulator } from "@kubewright/openwrt/testing";
import { afterEach, describe, expect, it } from "vitest";
import { CNFRouteRule } from "../api/cnf-route-rule.ts";
import { FirewallRule } from "../api/firewall-rule.ts";
import { endpointAnnotation } from "../api/group.ts";
import { Mwan3Rule } from "../api/mwan3-rule.ts";
import { connectTo } from "../cnf/connect.ts";
import { SessionPool } from "../cnf/session-pool.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { putCnf } from "../testing/fixtures.ts";
import { samples } from "../testing/samples.ts";
import { RuleReconciler } from "./rule-reconciler.ts";
import { WaitingRoom } from "./waiting-room.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(quirks: boolean) {
  const cnf = await CnfSimulator.start({
    quirks,
    password: "pass",
    interfaces: [
      { name: "eth0", ip: "10.244.0.7" },
      { name: "net1", ip: "172.16.30.10" },
      { name: "net2", ip: "172.16.31.10" },
    ],
  });
  const cluster = new FakeCluster();
  putCnf(cluster, "edge7", ["127.0.0.1"], { [endpointAnnotation]: `http:${cnf.port}` });
  const pool = new SessionPool({
    reader: cluster.client,
    connect: (endpoint) => connectTo(endpoint, silentLogger),
    endpoint: { scheme: "https" },
  });
  closers.push(
    () => cnf.stop(),
    () => pool.close(),
  );
  const waitingRoom = new WaitingRoom();
  const reconcilers = new Map(
    ruleKinds.map((kind) => [kind.kind.kind, new RuleReconciler({ kind, kinds: ruleKinds, pool, waitingRoom })]),
  );
  const context = { client: cluster.client, log: silentLogger, signal: new AbortController().signal };
  const reconcile = (objects: readonly KubeObject[]) =>
    Promise.all(
      objects.map(({ kind, metadata }) =>
        reconcilers.get(kind)?.reconcile(`${metadata.namespace}/${metadata.name}`, context),
      ),
    );
  return { cnf, cluster, reconcile };
}

const metadata = (name: string) => ({ name, namespace: "default", labels: { sdewanPurpose: "edge7" } });

const bulk = {
  FirewallRule: (cluster: FakeCluster, name: string, index: number) =>
    cluster.put(FirewallRule, {
      metadata: metadata(name),
      spec: { src_ip: `10.0.${index}.0/24`, proto: "tcp", dest_port: "80", target: "DROP" },
    }),
  CNFRouteRule: (cluster: FakeCluster, name: string, index: number) =>
    cluster.put(CNFRouteRule, { metadata: metadata(name), spec: { src: `10.0.${index}.0/24`, table: "40" } }),
};

describe.each([
  ["as it should be", false],
  ["with the reference's quirks", true],
])("a CNF %s", (_name, quirks) => {
  it.each(Object.entries(bulk))(
    "gets 200 of kind %s with few requests and restarts, and loses them so",
    async (_kind, put) => {
      const { cnf, cluster, reconcile } = await start(quirks);
      const objects = Array.from({ length: 200 }, (_, index) => put(cluster, `rule-${index}`, index));
      await reconcile(objects);
      const stored = objects.map((object) => cluster.get(object));
      expect(new Set(stored.map((object) => (object?.status as { state?: string })?.state))).toEqual(
        new Set(["In Sync"]),
      );
      expect(cnf.requests.total).toBeLessThanOrEqual(420);
      expect(cnf.requests.count({ path: /\/sdewan\/v1\/service\// })).toBeLessThan(10);

      cnf.requests.clear();
      for (const object of stored)
        if (object)
          cluster.restore({ ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:09Z" } });
      await reconcile(objects);
      expect(objects.map((object) => cluster.get(object)).filter(Boolean)).toEqual([]);
      expect(cnf.requests.total).toBeLessThanOrEqual(420);
      expect(cnf.requests.count({ path: /\/sdewan\/v1\/service\// })).toBeLessThan(10);
    },
  );

  it("comes in sync with one object of each kind, given in any order, and then is only read", async () => {
    const { cnf, cluster, reconcile } = await start(quirks);
    const objects = samples("edge7")
      .reverse()
      .map((sample) => cluster.restore(sample));
    await reconcile(objects);
    const states = () =>
      objects.map((object) => {
        const { state, message } = (cluster.get(object)?.status ?? {}) as { state?: string; message?: string };
        return `${object.kind}: ${state} ${message ?? ""}`.trim();
      });
    expect(states()).toEqual(objects.map(({ kind }) => `${kind}: In Sync`));
    cnf.requests.clear();
    await reconcile(objects);
    expect(new Set(cnf.requests.entries.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  it("heals a rule that came before what it refers to", async () => {
    const { cluster, reconcile } = await start(quirks);
    const [rule, policy] = ["Mwan3Rule", "Mwan3Policy"].map((kind) => {
      const sample = samples("edge7").find((each) => each.kind === kind);
      if (!sample) throw new Error(`no sample of ${kind}`);
      return sample;
    });
    if (!rule || !policy) return;
    await reconcile([cluster.restore(rule)]);
    expect(cluster.peek(Mwan3Rule, "default/my-rule")?.status?.state).toBe("Trying to apply");
    await reconcile([cluster.restore(policy)]);
    await reconcile([rule]);
    expect(cluster.peek(Mwan3Rule, "default/my-rule")?.status?.state).toBe("In Sync");
  });
});
