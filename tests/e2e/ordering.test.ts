import { Deployment } from "@kubewright/client/kinds";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cnf } from "./harness/cnf.ts";
import { cnfDeployment, networksText } from "./harness/cnf-deployment.ts";
import { named, names } from "./harness/contents.ts";
import { eventually } from "./harness/eventually.ts";
import { modes } from "./harness/modes.ts";
import { eachInSync, heldOfEachKind, oneOfEach } from "./harness/one-of-each.ts";
import { ruleScenarios } from "./harness/scenarios.ts";
import { networksAnnotation } from "./harness/simulated-cnfs.ts";
import { impatient, TestBed } from "./harness/test-bed.ts";

let bed: TestBed;
beforeAll(async () => {
  bed = await TestBed.start({ session: impatient, cnfNamespaces: "*" });
});
afterAll(() => bed?.stop());

const rule = { proto: "tcp", dest_port: "23", target: "DROP" };

describe.each(modes)("on $mode", ({ quirks }) => {
  it("rules created before their CNF are idle, and become in sync once it exists", async () => {
    const { cnf, deploy } = await bed.planCnf({ quirks });
    for (const each of oneOfEach) await cnf.create(...each);
    for (const [kind, name] of oneOfEach)
      await cnf.hasStatus(kind, name, "Idle", `No CNF has the purpose ${cnf.purpose}`);
    expect((await cnf.get("FirewallZone", "lan")).metadata.finalizers).toBeUndefined();

    await deploy();
    await eachInSync(cnf);
    expect(names(await cnf.simulator())).toEqual(heldOfEachKind);
  });

  it.each(ruleScenarios.filter(({ needs }) => needs !== undefined))(
    "a $kind created before the objects it refers to recovers",
    async ({ kind, name, spec, needs = [], collection }) => {
      const cnf = await sharedCnf(quirks);
      await cnf.create(kind, name, spec);
      await cnf.hasStatus(
        kind,
        name,
        "Trying to apply",
        /^Error Code: 4(00|28), Error Message: (.*is not definied|not shown, because it may repeat keys)/,
      );
      for (const need of needs) await cnf.create(...need);
      await cnf.inSync(kind, name);
      expect(named(await cnf.simulator(), collection, name)).toHaveLength(1);

      // In the reverse order as well: objects in use are deleted last, in any order of the requests.
      for (const [needed, neededName] of needs) await cnf.delete(needed, neededName);
      await cnf.delete(kind, name);
      await cnf.gone(kind, name);
      for (const [needed, neededName] of needs) await cnf.gone(needed, neededName);
      expect(names(await cnf.simulator())).toEqual({});
    },
  );

  it("an object is kept while it is in use", async () => {
    const cnf = await sharedCnf(quirks);
    await cnf.create("FirewallZone", "used", { network: ["net-a"] });
    await cnf.create("FirewallRule", "user", { ...rule, src: "used" });
    await cnf.inSync("FirewallRule", "user");
    await cnf.delete("FirewallZone", "used");
    await cnf.hasStatus("FirewallZone", "used", "Being delete", /^Error Code: 400, Error Message: .*zone used is used/);
    expect(named(await cnf.simulator(), "firewall/v1/zones", "used")).toHaveLength(1);

    await cnf.delete("FirewallRule", "user");
    await cnf.gone("FirewallRule", "user");
    await cnf.gone("FirewallZone", "used");
    expect(names(await cnf.simulator())).toEqual({});
  });

  it("an object can be deleted after a change ends its use", async () => {
    const cnf = await sharedCnf(quirks);
    await cnf.create("FirewallZone", "left", { network: ["net-a"] });
    await cnf.create("FirewallRule", "leaver", { ...rule, src: "left" });
    await cnf.inSync("FirewallRule", "leaver");
    await cnf.delete("FirewallZone", "left");
    await cnf.hasStatus("FirewallZone", "left", "Being delete", "is used");
    await cnf.update("FirewallRule", "leaver", rule);
    await cnf.gone("FirewallZone", "left");
    await cnf.inSync("FirewallRule", "leaver");
    await cnf.delete("FirewallRule", "leaver");
    await cnf.gone("FirewallRule", "leaver");
  });

  it("a rule can be deleted after its CNF", async () => {
    const cnf = await bed.createCnf({ quirks });
    await cnf.create("FirewallZone", "lan", { network: ["net-a"] });
    await cnf.inSync("FirewallZone", "lan");
    await bed.client.delete(Deployment, cnf.deployment);
    await cnf.hasStatus("FirewallZone", "lan", "Idle", "No CNF has the purpose");
    await cnf.delete("FirewallZone", "lan");
    await cnf.gone("FirewallZone", "lan");
  });

  it("a rule that was never in sync can be deleted", async () => {
    const cnf = await sharedCnf(quirks);
    await cnf.create("FirewallRule", "hopeless", { ...rule, src: "nowhere" });
    await cnf.hasStatus("FirewallRule", "hopeless", "Trying to apply", "nowhere");
    await cnf.delete("FirewallRule", "hopeless");
    await cnf.gone("FirewallRule", "hopeless");
  });

  it("an unknown network is named, and the rule recovers when the CNF gets it", async () => {
    const cnf = await bed.createCnf({ quirks });
    await cnf.create("FirewallZone", "far", { network: ["net-c"] });
    await cnf.create("Mwan3Policy", "far", { members: [{ network: "net-c", metric: 1, weight: 1 }] });
    const message = "No matched network in annotation: net-c";
    await cnf.hasStatus("FirewallZone", "far", "Trying to apply", message);
    await cnf.hasStatus("Mwan3Policy", "far", "Trying to apply", message);

    const annotations = { [networksAnnotation]: networksText({ "net-a": "net1", "net-c": "net3" }) };
    await bed.client.patch(Deployment, cnf.deployment, { spec: { template: { metadata: { annotations } } } });
    await cnf.inSync("FirewallZone", "far");
    await cnf.inSync("Mwan3Policy", "far");
    await cnf.available();
    await eventually(async () =>
      expect(named(await cnf.simulator(), "firewall/v1/zones", "far")).toEqual([
        expect.objectContaining({ network: ["net3"] }),
      ]),
    );
  });

  it("two Deployments of one purpose cause an unknown status of its rules until one is deleted", async () => {
    const cnf = await bed.createCnf({ quirks });
    await cnf.create("FirewallRule", "before", rule);
    await cnf.inSync("FirewallRule", "before");
    const second = { purpose: cnf.purpose, namespace: await bed.namespace(), quirks, name: "cnf-too" };
    await bed.client.create(Deployment, cnfDeployment(second));
    await cnf.create("FirewallRule", "after", rule);
    for (const name of ["before", "after"])
      await cnf.hasStatus("FirewallRule", name, "Unknown status", `${cnf.deployment}, ${second.namespace}/cnf-too`);

    await bed.client.delete(Deployment, `${second.namespace}/cnf-too`);
    for (const name of ["before", "after"]) await cnf.inSync("FirewallRule", name);
    expect(names(await cnf.simulator())).toEqual({ "firewall/v1/rules": ["after", "before"] });
  });

  it("a rule may be in another namespace than its CNF", async () => {
    const cnf = await sharedCnf(quirks);
    const namespace = await bed.namespace();
    await cnf.create("FirewallRule", "foreigner", rule, namespace);
    await cnf.inSync("FirewallRule", "foreigner", namespace);
    expect(named(await cnf.simulator(), "firewall/v1/rules", "foreigner")).toHaveLength(1);
    await cnf.delete("FirewallRule", "foreigner", namespace);
    await cnf.gone("FirewallRule", "foreigner", namespace);
  });
});

const shared = new Map<boolean, Promise<Cnf>>();
/** Returns the CNF for tests that clean up completely. */
function sharedCnf(quirks: boolean): Promise<Cnf> {
  const cnf = shared.get(quirks) ?? bed.createCnf({ quirks });
  shared.set(quirks, cnf);
  return cnf;
}
