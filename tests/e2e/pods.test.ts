import { keyOf } from "@kubewright/apimachinery";
import { Deployment, Pod } from "@kubewright/client/kinds";
import type { CnfSimulator } from "@kubewright/openwrt/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cnf } from "./harness/cnf.ts";
import { named, names, serviceCommands } from "./harness/contents.ts";
import { eventually } from "./harness/eventually.ts";
import { modes } from "./harness/modes.ts";
import { createEachKind, heldOfEachKind } from "./harness/one-of-each.ts";
import { impatient, TestBed } from "./harness/test-bed.ts";

let bed: TestBed;
beforeAll(async () => {
  bed = await TestBed.start({ checkIntervalMs: 1_000, session: impatient });
});
afterAll(() => bed?.stop());

describe.each(modes)("$mode with one object of every kind", ({ quirks }) => {
  let cnf: Cnf;
  beforeAll(async () => {
    cnf = await bed.createCnf({ quirks });
    await createEachKind(cnf);
    expect(names(await cnf.simulator())).toEqual(heldOfEachKind);
  });
  const holdsEverything = async (simulator: CnfSimulator): Promise<void> => {
    await eventually(() => expect(names(simulator)).toEqual(heldOfEachKind));
    await eventually(() =>
      expect(new Set(serviceCommands(simulator))).toEqual(
        new Set(["/etc/init.d/mwan3 restart", "fw3 reload", "/etc/init.d/ipsec restart"]),
      ),
    );
  };

  it("gets everything again when its pod is deleted", async () => {
    const [before] = await cnf.pods();
    await bed.client.delete(Pod, keyOf(before ?? { metadata: { name: "" } }));
    await eventually(async () => {
      const [next, ...others] = await cnf.pods();
      expect(others).toEqual([]);
      expect(next?.metadata.uid).not.toBe(before?.metadata.uid);
      expect(bed.cnfs.of(keyOf(next ?? { metadata: { name: "" } }))).toBeDefined();
    });
    const simulator = await cnf.simulator();
    await holdsEverything(simulator);
    expect(serviceCommands(simulator).length).toBeLessThan(10);
  });

  it("gets everything again when its container crashes, which does not change the replica counts", async () => {
    const [pod] = await cnf.pods();
    const crashed = await cnf.simulator();
    await bed.controllers.node.crash(keyOf(pod ?? { metadata: { name: "" } }));
    await eventually(async () => {
      const [same] = await cnf.pods();
      expect(same?.metadata.uid).toBe(pod?.metadata.uid);
      expect(same?.status?.containerStatuses?.[0]).toMatchObject({ restartCount: 1, ready: true });
      expect(await cnf.simulator()).not.toBe(crashed);
    });
    await holdsEverything(await cnf.simulator());
  });

  it("gets everything again after it lost its configuration without another sign", async () => {
    const simulator = await cnf.simulator();
    simulator.restart();
    expect(names(simulator)).toEqual({});
    await holdsEverything(simulator);
  });

  it("has manual changes reverted by the next restart", async () => {
    const simulator = await cnf.simulator();
    const zone = simulator.uci.sections("firewall", "zone").find(({ options }) => options.get("name") === "lan");
    if (!zone) throw new Error("the zone lan does not exist");
    simulator.uci.set("firewall", zone, "input", "DROP");
    simulator.uci.commit("firewall");
    await bed.client.subResource("scale").patch(Deployment, cnf.deployment, { spec: { replicas: 2 } });
    await cnf.available(2);
    await eventually(() =>
      expect(named(simulator, "firewall/v1/zones", "lan")).toEqual([expect.not.objectContaining({ input: "DROP" })]),
    );
    for (const each of await cnf.simulators()) await holdsEverything(each);
    await bed.client.subResource("scale").patch(Deployment, cnf.deployment, { spec: { replicas: 1 } });
    await cnf.available(1);
  });

  it("gets everything in the new pods of a rolling update, while the old ones are still running", async () => {
    const [before] = await cnf.pods();
    await bed.client.patch(Deployment, cnf.deployment, {
      spec: { template: { metadata: { annotations: { "e2e.kubewright.dev/rolled": "yes" } } } },
    });
    await eventually(async () => {
      const [next, ...others] = await cnf.pods();
      expect(others).toEqual([]);
      expect(next?.metadata.uid).not.toBe(before?.metadata.uid);
    });
    await cnf.available(1);
    await holdsEverything(await cnf.simulator());
    await cnf.inSync("IpsecHost", "peer");
  });
});

describe.each(modes)("$mode with two replicas", ({ quirks }) => {
  let cnf: Cnf;
  beforeAll(async () => {
    cnf = await bed.createCnf({ quirks, replicas: 2 });
  });
  const rule = { proto: "tcp", dest_port: "23", target: "DROP" };
  const holds = (simulator: CnfSimulator, name: string) => named(simulator, "firewall/v1/rules", name).length;

  it("has every object in both pods", async () => {
    await cnf.create("FirewallRule", "both", rule);
    await cnf.inSync("FirewallRule", "both");
    expect((await cnf.simulators()).map((simulator) => holds(simulator, "both"))).toEqual([1, 1]);
    await cnf.delete("FirewallRule", "both");
    await cnf.gone("FirewallRule", "both");
    expect((await cnf.simulators()).map((simulator) => holds(simulator, "both"))).toEqual([0, 0]);
  });

  it("is configured in one pod while the other fails, names the failing pod, and recovers", async () => {
    const [first, second] = await cnf.simulators();
    const [pod] = await cnf.pods();
    first?.failNext({ status: 500, body: "out of memory", count: 1_000, match: { path: /firewall/ } });
    await cnf.create("FirewallRule", "one-of-two", rule);
    const message = `${pod?.metadata.name}: Error Code: 500, Error Message: out of memory`;
    await cnf.hasStatus("FirewallRule", "one-of-two", "Trying to apply", message);
    expect(second && holds(second, "one-of-two")).toBe(1);

    first?.clearFaults();
    await cnf.inSync("FirewallRule", "one-of-two");
    expect(first && holds(first, "one-of-two")).toBe(1);
  });

  it("has its objects in a third pod after it is scaled up", async () => {
    await cnf.create("FirewallRule", "all-three", rule);
    await cnf.inSync("FirewallRule", "all-three");
    await bed.client.subResource("scale").patch(Deployment, cnf.deployment, { spec: { replicas: 3 } });
    await cnf.available(3);
    await eventually(async () =>
      expect((await cnf.simulators()).map((simulator) => holds(simulator, "all-three"))).toEqual([1, 1, 1]),
    );
  });

  it("has idle objects when scaled to zero, and gets them again afterwards", async () => {
    await bed.client.subResource("scale").patch(Deployment, cnf.deployment, { spec: { replicas: 0 } });
    await cnf.hasStatus("FirewallRule", "all-three", "Idle", "scaled to zero");
    await bed.client.subResource("scale").patch(Deployment, cnf.deployment, { spec: { replicas: 1 } });
    await cnf.inSync("FirewallRule", "all-three");
    await cnf.available(1);
    await eventually(async () => expect(holds(await cnf.simulator(), "all-three")).toBe(1));
  });
});
