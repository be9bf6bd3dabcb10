import { internalError } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import { silentLogger } from "@kubewright/log";
import { describe, expect, it } from "vitest";
import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import { networksAnnotation } from "../api/group.ts";
import { Mwan3Policy } from "../api/mwan3-policy.ts";
import { SdewanApplication } from "../api/sdewan-application.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { sdewanApplication } from "../kinds/sdewan-application.ts";
import { putPod } from "../testing/fixtures.ts";
import { metadata, startReconcilers as start } from "../testing/reconcilers.ts";
import { RuleReconciler } from "./rule-reconciler.ts";

it("passes on errors of the cluster during a conversion", async () => {
  const { cluster, pool, waitingRules } = start(["10.0.0.1"]);
  cluster.put(SdewanApplication, { metadata, spec: { podSelector: { matchLabels: { app: "shop" } } } });
  const client: ReadWriter = {
    ...cluster.client,
    list: (kind, options) => {
      if (kind.kind === "Pod" && options?.fields === undefined) throw internalError(new Error("no quorum"));
      return cluster.client.list(kind, options);
    },
  };
  const reconciler = new RuleReconciler({ kind: sdewanApplication, kinds: ruleKinds, pool, waitingRules });
  const context = { client, log: silentLogger, signal: new AbortController().signal };
  await expect(reconciler.reconcile("default/a", context)).rejects.toThrow(/no quorum/);
  expect(cluster.peek(SdewanApplication, "default/a")?.status).toBeUndefined();
});

describe("pods of one CNF with different networks", () => {
  const attached = (text: unknown) => ({
    [networksAnnotation]: typeof text === "string" ? text : JSON.stringify(text),
  });
  const networks = (interfaceName: string) => attached({ interface: [{ name: "ovn-net1", interface: interfaceName }] });
  const zones = "firewall/v1/zones";

  /** Starts a CNF during a rollout: its first pod has an older template than the second. */
  function rolledOut() {
    const started = start(["10.0.0.1", "10.0.0.2"]);
    putPod(started.cluster, "edge7", 0, "10.0.0.1", 0, networks("old1"));
    putPod(started.cluster, "edge7", 1, "10.0.0.2", 0, networks("new1"));
    const zone = started.cluster.put(FirewallZone, { metadata, spec: { network: ["ovn-net1"] } });
    const networkOn = (address: string) => started.cnf(address).collections.get(zones)?.get("a")?.network;
    const status = () => started.cluster.peek(FirewallZone, "default/a")?.status;
    return { ...started, zone, networkOn, status };
  }

  it("are each configured by their own annotation, and then only read", async () => {
    const { cluster, reconcile, cnf, zone, networkOn, status } = rolledOut();
    const policy = cluster.put(Mwan3Policy, {
      metadata,
      spec: { members: [{ network: "ovn-net1", metric: 1, weight: 1 }] },
    });
    await reconcile(zone);
    await reconcile(policy);
    expect([networkOn("10.0.0.1"), networkOn("10.0.0.2")]).toEqual([["old1"], ["new1"]]);
    expect(status()?.state).toBe("In Sync");
    for (const [address, name] of [
      ["10.0.0.1", "old1"],
      ["10.0.0.2", "new1"],
    ] as const) {
      expect(cnf(address).collections.get("mwan3/v1/policies")?.get("a")).toMatchObject({
        members: [{ interface: name }],
      });
      cnf(address).requests.length = 0;
    }
    await reconcile(zone);
    for (const address of ["10.0.0.1", "10.0.0.2"]) expect(cnf(address).requests).toEqual([`GET ${zones}`]);
  });

  it("have drift reverted on the affected pod, according to its own networks", async () => {
    const { reconcile, cnf, zone, networkOn } = rolledOut();
    await reconcile(zone);
    cnf("10.0.0.1")
      .collections.get(zones)
      ?.set("a", { name: "a", network: ["new1"] });
    cnf("10.0.0.2").requests.length = 0;
    await reconcile(zone);
    expect([networkOn("10.0.0.1"), networkOn("10.0.0.2")]).toEqual([["old1"], ["new1"]]);
    expect(cnf("10.0.0.2").requests).toEqual([`GET ${zones}`]);
  });

  it.each([
    ["that is not JSON", attached("{"), "is not JSON"],
    ["that does not list objects", attached({ interface: "net1" }), "is not a list of objects"],
    ["without the network", attached({ interface: [] }), "No matched network in annotation: ovn-net1"],
    ["with an invalid interface name", networks("net1;reboot"), "which is not the name of an interface"],
  ])("fail alone with an annotation %s, and are named", async (_what, annotations, message) => {
    const { cluster, reconcile, networkOn, status, failures, cnf } = rolledOut();
    putPod(cluster, "edge7", 0, "10.0.0.1", 0, annotations);
    const zone = cluster.put(FirewallZone, { metadata, spec: { network: ["ovn-net1"] } });
    await reconcile(zone);
    expect(networkOn("10.0.0.2")).toEqual(["new1"]);
    expect(cnf("10.0.0.1").requests).toEqual([]);
    expect(status()).toMatchObject({ state: "Trying to apply" });
    expect(status()?.message).toMatch(/^edge7-0: /);
    expect(status()?.message).toContain(message);
    expect(failures.of({ kind: "FirewallZone", key: "default/a" }).size).toBe(1);

    putPod(cluster, "edge7", 0, "10.0.0.1", 0, networks("old1"));
    await reconcile(zone);
    expect(networkOn("10.0.0.1")).toEqual(["old1"]);
    expect(status()?.state).toBe("In Sync");
  });

  it("report a network once if all of them lack it, and each pod if they differ", async () => {
    const { cluster, reconcile, zone, status } = rolledOut();
    for (const [index, address] of ["10.0.0.1", "10.0.0.2"].entries())
      putPod(cluster, "edge7", index, address, 0, attached({ interface: [] }));
    await reconcile(zone);
    expect(status()?.message).toBe("No matched network in annotation: ovn-net1");
    putPod(cluster, "edge7", 1, "10.0.0.2", 0, attached("{"));
    await reconcile(zone);
    expect(status()?.message).toMatch(
      /^edge7-0: No matched network in annotation: ovn-net1; edge7-1: Annotation .* is not JSON/,
    );
    expect(cluster.peek(FirewallZone, "default/a")?.metadata.finalizers).toBeUndefined();
  });

  it("follow an annotation that changes while they run", async () => {
    const { cluster, reconcile, zone, networkOn } = rolledOut();
    await reconcile(zone);
    putPod(cluster, "edge7", 0, "10.0.0.1", 0, networks("net7"));
    await reconcile(zone);
    expect([networkOn("10.0.0.1"), networkOn("10.0.0.2")]).toEqual([["net7"], ["new1"]]);
  });
});
