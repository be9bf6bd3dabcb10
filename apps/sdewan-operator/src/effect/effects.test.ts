import type { KubeObject } from "@kubewright/apimachinery";
import { Pod } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { CNFNAT } from "../api/cnf-nat.ts";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import { IpsecHost } from "../api/ipsec/ipsec-remotes.ts";
import { Mwan3Policy } from "../api/mwan3-policy.ts";
import { Mwan3Rule } from "../api/mwan3-rule.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { effectMatters } from "../rules/triggers.ts";
import { type ReconcilersOptions, startReconcilers } from "../testing/reconcilers.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";

const labels = { sdewanPurpose: "edge7" };
const at = (name: string, second: number) => ({
  name,
  namespace: "default",
  labels,
  creationTimestamp: `2026-01-01T00:00:0${second}Z`,
});
const web = { proto: "tcp", dest_port: "80", target: "DROP" } as const;

const kindOf = (name: string): CnfKind => {
  const kind = (ruleKinds as readonly CnfKind[]).find((each) => each.kind.kind === name);
  if (!kind) throw new Error(name);
  return kind;
};

function start(options: ReconcilersOptions = {}) {
  const all = startReconcilers(["10.0.0.1"], options);
  const { cluster, effects, clock, refreshed, cnf } = all;
  const find = (name: string): KubeObject | undefined => {
    const [kind = "", key = ""] = name.split(" ");
    return cluster.peek(kindOf(kind).kind, key);
  };
  const effect = (kind: string, name: string): string => {
    const object = find(`${kind} default/${name}`) as { status?: FirewallRule["status"] } | undefined;
    const found = object?.status?.conditions?.find(({ type }) => type === "Effective");
    return `${found?.status} ${found?.reason}`;
  };
  /** Reconciles an object, then the rules whose effect its change affects. */
  const reconcile = async (object: KubeObject): Promise<readonly string[]> => {
    await all.reconcile(object);
    return await settle(object, cluster.get(object) as KubeObject | undefined);
  };
  const settle = async (old: KubeObject, now: KubeObject | undefined): Promise<readonly string[]> => {
    const kind = kindOf(old.kind);
    const event = now ? ({ type: "update", object: now, old } as const) : ({ type: "delete", object: old } as const);
    if (effectMatters(kind)(event)) await effects.changed(cluster.client, kind, event);
    return await refresh();
  };
  /** Waits until the statuses show the changed effects. @returns the names of their rules */
  const refresh = async (): Promise<readonly string[]> => {
    const requests = cnf("10.0.0.1").requests.length;
    refreshed.length = 0;
    await clock.advance(5_000);
    expect(cnf("10.0.0.1").requests).toHaveLength(requests);
    return [...refreshed];
  };
  const pod = () => {
    const found = cluster.peek(Pod, "cnfs/edge7-0");
    if (!found) throw new Error("no pod");
    return found;
  };
  const report = async (interfaces: unknown): Promise<readonly string[]> => {
    await effects.reported(cluster.client, pod(), [{ name: "wan", status: { interfaces } }]);
    return await refresh();
  };
  return { ...all, reconcile, settle, effect, pod, report };
}

describe("the condition Effective", () => {
  it("shows which rule shadows a rule, and Events show when this begins and ends", async () => {
    const { cluster, reconcile, settle, effect, events } = start();
    const older = cluster.put(FirewallRule, { metadata: at("b", 1), spec: web });
    const younger = cluster.put(FirewallRule, { metadata: at("a", 2), spec: { ...web, src_ip: "10.0.0.0/8" } });
    await reconcile(younger);
    expect(effect("FirewallRule", "a")).toBe("Unknown NotReported");
    expect(await reconcile(older)).toEqual(["FirewallRule default/a"]);
    expect([effect("FirewallRule", "b"), effect("FirewallRule", "a")]).toEqual([
      "Unknown NotReported",
      "False Shadowed",
    ]);
    const { status } = cluster.peek(FirewallRule, "default/a") ?? {};
    expect(status).toMatchObject({ state: "In Sync" });
    expect(status?.conditions?.[2]?.message).toBe(
      "FirewallRule default/b comes before it on the CNF and matches all of its packets",
    );
    expect(await reconcile(older)).toEqual([]);
    const created = cluster.peek(FirewallRule, "default/b") as KubeObject;
    expect(effectMatters(kindOf("FirewallRule"))({ type: "create", object: created })).toBe(false);
    await reconcile(younger);
    cluster.remove(FirewallRule, "default/b");
    expect(await settle(older, undefined)).toEqual(["FirewallRule default/a"]);
    expect(effect("FirewallRule", "a")).toBe("Unknown NotReported");
    expect(
      events.filter(({ reason }) => reason.includes("hadowed")).map(({ reason, about }) => `${reason} ${about}`),
    ).toEqual(["Shadowed FirewallRule a", "NotShadowed FirewallRule a"]);
  });

  it("follows changes of the spec, the order, and the zone of the rule that shadows", async () => {
    const { cluster, reconcile, settle, effect } = start();
    for (const name of ["lan", "wan"])
      await reconcile(cluster.put(FirewallZone, { metadata: at(name, 0), spec: { network: ["ovn-net1"] } }));
    const between = { ...web, src: "wan", dest: "lan" };
    const [one, two] = [at("one", 1), at("two", 2)];
    const older = cluster.put(FirewallRule, { metadata: one, spec: between });
    await reconcile(older);
    await reconcile(cluster.put(FirewallRule, { metadata: two, spec: between }));
    expect(effect("FirewallRule", "two")).toBe("False Shadowed");

    const stored = () => cluster.peek(FirewallRule, "default/one") as FirewallRule;
    const change = (change: Partial<FirewallRule>) => {
      const old = stored();
      return settle(
        old,
        cluster.put(FirewallRule, { ...old, ...change } as FirewallRule & { metadata: { name: string } }),
      );
    };
    expect(await change({ spec: { ...between, target: "ACCEPT" } })).toEqual([]);
    expect(await change({ spec: { ...between, src_ip: "10.0.0.1" } })).toEqual(["FirewallRule default/two"]);
    expect(effect("FirewallRule", "two")).toBe("Unknown NotReported");
    await change({ spec: between });
    expect(effect("FirewallRule", "two")).toBe("False Shadowed");
    const annotations = { "sdewan.akraino.org/order": "5" };
    await change({ metadata: { ...stored().metadata, annotations } });
    expect(effect("FirewallRule", "two")).toBe("Unknown NotReported");
    await change({ metadata: { ...stored().metadata, annotations: {} } });
    expect(effect("FirewallRule", "two")).toBe("False Shadowed");

    const zone = cluster.peek(FirewallZone, "default/lan") as FirewallZone;
    const limited = { ...zone, spec: { network: ["ovn-net1"], extra_src: "-m limit --limit 1/s" } };
    expect(await settle(zone, cluster.put(FirewallZone, limited))).toEqual(["FirewallRule default/two"]);
    expect(effect("FirewallRule", "two")).toBe("Unknown NotReported");
  });

  it("shows that a translation takes the packets of a younger one at the same position, even if it is written later", async () => {
    const { cluster, clock, reconcile, effect } = start();
    const nat = {
      proto: "tcp",
      src_dport: "8443",
      dest_ip: "10.0.0.1",
      dest_port: "443",
      target: "DNAT",
      index: "2",
    } as const;
    const put = async (name: string, second: number, spec: CNFNAT["spec"], generation = 1) => {
      const metadata = { ...cluster.peek(CNFNAT, `default/${name}`)?.metadata, ...at(name, second), generation };
      const { status } = cluster.peek(CNFNAT, `default/${name}`) ?? {};
      await clock.advance(2_000);
      await reconcile(cluster.put(CNFNAT, { metadata, spec, ...(status ? { status } : {}) } as never));
    };
    const now = () => ["onenat", "twonat"].map((name) => effect("CNFNAT", name));
    await put("onenat", 1, nat);
    await put("twonat", 2, { ...nat, dest_ip: "10.0.0.2" });
    expect(now()).toEqual(["Unknown NotReported", "False Shadowed"]);
    await put("onenat", 1, { ...nat, dest_ip: "10.0.0.3" }, 2);
    await put("twonat", 2, { ...nat, dest_ip: "10.0.0.4" }, 2);
    expect(now()).toEqual(["Unknown NotReported", "False Shadowed"]);
    await put("twonat", 2, { ...nat, dest_ip: "10.0.0.4", index: "3" }, 3);
    expect(now()).toEqual(["Unknown NotReported", "Unknown NotReported"]);
  });

  it("does not reconcile rules that are not in sync", async () => {
    const { cluster, reconcile, settle } = start();
    const older = cluster.put(FirewallRule, { metadata: at("b", 1), spec: web });
    await reconcile(older);
    await reconcile(cluster.put(FirewallRule, { metadata: at("a", 2), spec: web }));
    const stored = cluster.peek(FirewallRule, "default/a") ?? expect.unreachable();
    cluster.put(FirewallRule, { ...stored, status: { ...stored.status, state: "Idle" } });
    cluster.remove(FirewallRule, "default/b");
    expect(await settle(older, undefined)).toEqual([]);
  });

  it("creates no further Events with definitions that prune conditions", async () => {
    const { cluster, reconcile, events } = start();
    const prune = (name: string) => {
      const object = cluster.peek(FirewallRule, `default/${name}`);
      const { conditions: _conditions, observedGeneration: _generation, ...status } = object?.status ?? { state: "" };
      return cluster.put(FirewallRule, { ...object, status } as FirewallRule);
    };
    await reconcile(cluster.put(FirewallRule, { metadata: at("a", 1), spec: web }));
    await reconcile(cluster.put(FirewallRule, { metadata: at("b", 2), spec: web }));
    for (let index = 0; index < 5; index++) await reconcile(prune("b"));
    expect(events.filter(({ reason }) => reason.includes("hadowed"))).toHaveLength(1);
  });

  it("shows that a rule matches no packet", async () => {
    const { cluster, reconcile, effect } = start();
    await reconcile(
      cluster.put(FirewallRule, { metadata: at("a", 1), spec: { ...web, src_ip: "10.0.0.1", family: "ipv6" } }),
    );
    expect(effect("FirewallRule", "a")).toBe("False MatchesNothing");
  });

  it("changes of at most 20 rules a second when many are affected", async () => {
    const { cluster, reconcile, effects, clock, refreshed } = start();
    const broad = cluster.put(FirewallRule, { metadata: at("a", 1), spec: { proto: "all", target: "DROP" } });
    await reconcile(broad);
    for (let index = 0; index < 100; index++)
      await reconcile(
        cluster.put(FirewallRule, { metadata: at(`b${index}`, 2), spec: { ...web, dest_port: String(index + 1) } }),
      );
    refreshed.length = 0;
    cluster.remove(FirewallRule, "default/a");
    await effects.changed(cluster.client, kindOf("FirewallRule"), { type: "delete", object: broad });
    await clock.advance(1_000);
    expect(refreshed).toHaveLength(20);
    await clock.advance(4_000);
    expect(refreshed).toHaveLength(100);
  });

  it("is determined after a reconcile in progress, which may have used the former rules", async () => {
    const { cluster, reconcile, effects, effect, clock } = start();
    const older = cluster.put(FirewallRule, { metadata: at("b", 1), spec: web });
    await reconcile(older);
    await reconcile(cluster.put(FirewallRule, { metadata: at("a", 2), spec: web }));
    const stored = cluster.peek(FirewallRule, "default/a") ?? expect.unreachable();
    const edited = { ...stored, metadata: { ...stored.metadata, generation: 2 }, spec: { ...web, src_ip: "10.0.0.1" } };
    const inProgress = reconcile(cluster.put(FirewallRule, edited));
    cluster.remove(FirewallRule, "default/b");
    await effects.changed(cluster.client, kindOf("FirewallRule"), { type: "delete", object: older });
    await clock.advance(10_000);
    await inProgress;
    expect(effect("FirewallRule", "a")).toBe("Unknown NotReported");
  });

  it("is determined by a reconcile, which is retried, if it cannot be written", async () => {
    const { cluster, reconcile, effects, clock, waitingRules } = start();
    const older = cluster.put(FirewallRule, { metadata: at("b", 1), spec: web });
    await reconcile(older);
    await reconcile(cluster.put(FirewallRule, { metadata: at("a", 2), spec: web }));
    const triggered: string[] = [];
    waitingRules.subscribe("FirewallRule", (key) => void triggered.push(key), new AbortController().signal);
    effects.writeWith(kindOf("FirewallRule"), () => Promise.reject(new Error("the API server does not respond")));
    cluster.remove(FirewallRule, "default/b");
    await effects.changed(cluster.client, kindOf("FirewallRule"), { type: "delete", object: older });
    await clock.advance(1_000);
    expect(triggered).toEqual(["default/a"]);
  });
});

describe("what a CNF reports", () => {
  const rule = {
    src_ip: "",
    src_port: "",
    dest_ip: "",
    dest_port: "",
    proto: "",
    family: "",
    sticky: "",
    timeout: "",
    policy: "p",
  } as const;

  it("shows whether a policy and its rules have an effect: only while one of its interfaces is online", async () => {
    const { cluster, reconcile, effect, report } = start();
    const members = ["ovn-net1", "ovn-net2"].map((network) => ({ network, metric: 1, weight: 1 }));
    await reconcile(cluster.put(Mwan3Policy, { metadata: at("p", 1), spec: { members } }));
    await reconcile(cluster.put(Mwan3Rule, { metadata: at("r", 2), spec: rule }));
    const now = () => [effect("Mwan3Policy", "p"), effect("Mwan3Rule", "r")];
    expect(now()).toEqual(["Unknown NotReported", "Unknown NotReported"]);
    expect(await report({ net1: { status: "online" }, net2: { status: "offline" } })).toEqual([
      "Mwan3Policy default/p",
    ]);
    expect(now()).toEqual(["True MemberOnline", "Unknown NotReported"]);
    await report({ net1: { status: "disabled" }, net2: { status: "offline" } });
    expect(now()).toEqual(["False MembersOffline", "False PolicyIneffective"]);
    expect(cluster.peek(Mwan3Rule, "default/r")?.status?.conditions?.[2]?.message).toBe(
      "Mwan3Policy default/p: None of its interfaces is online on the CNF in pod edge7-0: net1, net2",
    );
    expect(await report({ net1: { status: "disabled" }, net2: { status: "offline" } })).toEqual([]);
    await report({ net1: { status: "notracking" }, net2: { status: "offline" } });
    expect(now()).toEqual(["Unknown NotReported", "Unknown NotReported"]);
    await report([]);
    expect(now()[0]).toBe("False MembersOffline");
    await report(undefined);
    expect(now()[0]).toBe("Unknown NotReported");
  });

  it("is kept over a restart until the CNF reports again, but not for another spec", async () => {
    const before = start();
    const members = [{ network: "ovn-net1", metric: 1, weight: 1 }];
    const policy = before.cluster.put(Mwan3Policy, { metadata: { ...at("p", 1), generation: 1 }, spec: { members } });
    await before.reconcile(policy);
    await before.report({ net1: { status: "online" } });
    const { effect, reconcile, report, cluster } = start({ before });
    const stored = () => cluster.peek(Mwan3Policy, "default/p") ?? expect.unreachable();
    const { resourceVersion } = stored().metadata;
    await reconcile(policy);
    expect([effect("Mwan3Policy", "p"), stored().metadata.resourceVersion]).toEqual([
      "True MemberOnline",
      resourceVersion,
    ]);
    await report({ net1: { status: "offline" } });
    expect(effect("Mwan3Policy", "p")).toBe("False MembersOffline");

    const again = start({ before });
    await again.reconcile(cluster.put(Mwan3Policy, { ...stored(), metadata: { ...stored().metadata, generation: 2 } }));
    expect(again.effect("Mwan3Policy", "p")).toBe("Unknown NotReported");
  });

  it("shows whether the tunnels of a remote are up", async () => {
    const { cluster, reconcile, effect, effects, tunnels, pod, clock } = start();
    const connection = {
      name: "c",
      conn_type: "tunnel",
      mode: "start",
      local_subnet: "10.1.0.0/16",
      remote_subnet: "10.2.0.0/16",
    } as const;
    const host = cluster.put(IpsecHost, {
      metadata: at("h", 1),
      spec: {
        remote: "10.0.0.9",
        authentication_method: "psk",
        pre_shared_key: "k3y",
        crypto_proposal: ["p"],
        connections: [connection],
      },
    } as never);
    const { uid = "" } = host.metadata;
    const note = async (up: number, selectors: readonly string[] = []) => {
      const connections = [{ name: "c", mode: "start", localSubnet: "10.1.0.0/16", remoteSubnet: "10.2.0.0/16" }];
      const state = { up, connecting: 0, selectors: new Set(selectors), isComplete: up > 0 };
      tunnels.note(pod().metadata.uid ?? "", [{ uid, connections }], state, 1, clock.now());
      await effects.reported(cluster.client, pod(), []);
      await reconcile(cluster.peek(IpsecHost, "default/h") as KubeObject);
    };
    await reconcile(host);
    expect(effect("IpsecHost", "h")).toBe("Unknown NotReported");
    await note(1);
    expect(effect("IpsecHost", "h")).toBe("True TunnelsUp");
    await note(0);
    expect(effect("IpsecHost", "h")).toBe("False TunnelDown");
  });
});
