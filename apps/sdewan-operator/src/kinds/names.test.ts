import { OpenWrtError } from "@kubewright/openwrt";
import { describe, expect, it } from "vitest";
import { IpsecProposal } from "../api/ipsec/ipsec-proposal.ts";
import { IpsecHost, IpsecSite } from "../api/ipsec/ipsec-remotes.ts";
import { Mwan3Policy } from "../api/mwan3-policy.ts";
import { Mwan3Rule } from "../api/mwan3-rule.ts";
import { fieldsOf } from "../testing/fields-of.ts";
import { metadata, startReconcilers as start } from "../testing/reconcilers.ts";
import { cnfName } from "./rule-kinds.ts";

const connection = (name: string) => ({
  name,
  conn_type: "tunnel" as const,
  mode: "start" as const,
  local_subnet: "10.9.0.0/24",
});
const spec = (...names: string[]) => ({
  remote: "10.0.0.9",
  authentication_method: "psk" as const,
  pre_shared_key: "only-between-us",
  crypto_proposal: ["p"],
  connections: names.map(connection),
});
const at = (name: string, second: number) => ({
  ...metadata,
  name,
  uid: name,
  creationTimestamp: `2026-01-01T00:00:0${second}Z`,
});

describe("the connections of IPsec remotes", () => {
  it("have unique names: the younger of two remotes that would share one is refused", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
    const older = cluster.put(IpsecHost, { metadata: at("first", 1), spec: spec("conn-a") });
    const younger = cluster.put(IpsecSite, { metadata: at("second", 2), spec: spec("b", "conn_a") });
    await reconcile(younger);
    await reconcile(older);
    expect(fieldsOf(cluster.peek(IpsecSite, "default/second")?.status)).toEqual({
      state: "Trying to apply",
      message: "The name conn_a on the CNF belongs to IpsecHost default/first, which is older",
    });
    expect([...(cnf("10.0.0.1").collections.get("ipsec/v1/remotes")?.keys() ?? [])]).toEqual(["first"]);
  });

  it("cannot have the name of an older remote or proposal, and a remote cannot have the name of an older connection", async () => {
    const { cluster, reconcile } = start(["10.0.0.1"]);
    cluster.put(IpsecHost, { metadata: at("first", 1), spec: spec("taken") });
    const proposal = { encryption_algorithm: "aes256", hash_algorithm: "sha256", dh_group: "ecp256" } as const;
    cluster.put(IpsecProposal, { metadata: at("strong", 1), spec: proposal });
    for (const [name, names, message] of [
      ["x", ["first"], "The name first on the CNF belongs to IpsecHost default/first, which is older"],
      ["y", ["strong"], "The name strong on the CNF belongs to IpsecProposal default/strong, which is older"],
      ["taken", ["z"], "The name taken on the CNF belongs to IpsecHost default/first, which is older"],
    ] as const) {
      await reconcile(cluster.put(IpsecHost, { metadata: at(name, 5), spec: spec(...names) }));
      expect(cluster.peek(IpsecHost, `default/${name}`)?.status?.message).toBe(message);
    }
  });

  it("have unique names within a remote", async () => {
    const { cluster, reconcile } = start(["10.0.0.1"]);
    await reconcile(cluster.put(IpsecHost, { metadata, spec: spec("a-b", "c", "a_b") }));
    expect(cluster.peek(IpsecHost, "default/a")?.status?.message).toBe("spec.connections[2].name: a_b is already used");
  });

  it("do not keep a deleted remote with the same name on the CNF", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
    const object = cluster.put(IpsecHost, { metadata: at("mine", 5), spec: spec("c") });
    await reconcile(object);
    // From an earlier version, which did not compare names of connections.
    cluster.put(IpsecHost, { metadata: at("older", 1), spec: spec("c") });
    const applied = cluster.peek(IpsecHost, "default/mine");
    if (!applied) throw new Error("not there");
    cluster.put(IpsecHost, {
      ...applied,
      metadata: { ...applied.metadata, deletionTimestamp: "2026-01-01T00:00:09Z" },
    });
    await reconcile(object);
    expect(cnf("10.0.0.1").requests).toContain("DELETE ipsec/v1/remotes/mine");
  });
});

describe("a policy and a rule of mwan3 with names that are too long", () => {
  const [policyName, ruleName] = ["balance-all-of-the-wans", "web-traffic-of-the-shop"];
  const [oldPolicy, oldRule] = ["balance_all_of_the_wans", "web_traffic_of_the_shop"];
  const rule = {
    policy: policyName,
    src_ip: "",
    src_port: "",
    dest_ip: "",
    dest_port: "443",
    proto: "tcp" as const,
    family: "" as const,
    sticky: "0" as const,
    timeout: "",
  };
  const finalizers = ["rule.finalizers.sdewan.akraino.org"];
  const annotations = { "kubewright.dev/applied-purpose": "edge7" };
  const policies = "mwan3/v1/policies";
  const rules = "mwan3/v1/rules";

  /** Starts with the objects of an earlier version, on a CNF that does not delete a policy used by a rule. */
  function upgraded() {
    const started = start(["10.0.0.1"]);
    const { cluster, cnf } = started;
    const spec = { members: [{ network: "ovn-net1", metric: 1, weight: 1 }] };
    const applied = { state: "In Sync", appliedGeneration: 1 };
    const policy = cluster.put(Mwan3Policy, {
      metadata: { ...metadata, name: policyName, finalizers, annotations },
      spec,
      status: applied,
    });
    const user = cluster.put(Mwan3Rule, {
      metadata: { ...metadata, name: ruleName, finalizers, annotations },
      spec: rule,
      status: applied,
    });
    const { collections } = cnf("10.0.0.1");
    collections.set(policies, new Map([[oldPolicy, { name: oldPolicy }]]));
    collections.set(rules, new Map([[oldRule, { name: oldRule, policy: oldPolicy }]]));
    cnf("10.0.0.1").fail = (request) => {
      const used = [...(collections.get(rules)?.values() ?? [])].some(
        ({ policy }) => request === `DELETE ${policies}/${policy}`,
      );
      return used ? new OpenWrtError(400, '{"message":"policy is used"}') : undefined;
    };
    const names = (path: string): string[] => [...(collections.get(path)?.keys() ?? [])];
    return { ...started, policy, user, names };
  }

  it("are on the CNF under allowed names, together with what refers to them", async () => {
    const { reconcile, policy, user, names, cnf } = upgraded();
    const [newPolicy, newRule] = [cnfName("Mwan3Policy", policyName), cnfName("Mwan3Rule", ruleName)];
    for (const name of [newPolicy, newRule]) expect(name.length).toBeLessThanOrEqual(15);
    await Promise.all([reconcile(policy), reconcile(user)]);
    expect(names(policies)).toEqual([newPolicy]);
    expect(names(rules)).toEqual([newRule]);
    expect(cnf("10.0.0.1").collections.get(rules)?.get(newRule)).toMatchObject({ policy: newPolicy });
  });

  it("leave nothing under their former names, whichever is reconciled first", async () => {
    const { cluster, reconcile, policy, user, names } = upgraded();
    await reconcile(policy);
    expect(names(policies)).toEqual([oldPolicy, cnfName("Mwan3Policy", policyName)]);
    expect(cluster.peek(Mwan3Policy, `default/${policyName}`)?.status?.message).toContain("policy is used");
    await reconcile(user);
    await reconcile(policy);
    expect(names(policies)).toEqual([cnfName("Mwan3Policy", policyName)]);
    expect(cluster.peek(Mwan3Policy, `default/${policyName}`)?.status?.state).toBe("In Sync");
    expect(names(rules)).toEqual([cnfName("Mwan3Rule", ruleName)]);
  });

  it("stay under their former names while the CNF refuses the new ones", async () => {
    const { reconcile, user, names, cnf } = upgraded();
    cnf("10.0.0.1").fail = (request) =>
      request.startsWith("POST") ? new OpenWrtError(400, '{"message":"invalid policy"}') : undefined;
    await reconcile(user);
    expect(names(rules)).toEqual([oldRule]);
  });

  it("are deleted under their former names if they are deleted before they were renamed", async () => {
    const { cluster, reconcile, user, names } = upgraded();
    cluster.put(Mwan3Rule, { ...user, metadata: { ...user.metadata, deletionTimestamp: "2026-01-01T00:00:09Z" } });
    await reconcile(user);
    expect(names(rules)).toEqual([]);
    expect(cluster.peek(Mwan3Rule, `default/${ruleName}`)).toBeUndefined();
  });
});
