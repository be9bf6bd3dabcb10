import { Deployment, Pod } from "@kubewright/client/kinds";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { named } from "./harness/contents.ts";
import { eventually } from "./harness/eventually.ts";
import { modes } from "./harness/modes.ts";
import { impatient, TestBed } from "./harness/test-bed.ts";

let bed: TestBed;
beforeAll(async () => {
  bed = await TestBed.start({ session: impatient, checkIntervalMs: 500 });
});
afterAll(() => bed?.stop());

const rule = { proto: "tcp", dest_port: "23", target: "DROP" };
const path = "firewall/v1/rules";

describe.each(modes)("$mode", ({ quirks }) => {
  it("loses the objects of its former purpose when the label of its Deployment changes, and gets those of the new one", async () => {
    const cnf = await bed.createCnf({ quirks });
    const simulator = await cnf.simulator();
    await cnf.create("FirewallRule", "former", rule);
    await cnf.inSync("FirewallRule", "former");
    await bed.client.patch(Deployment, cnf.deployment, { metadata: { labels: { sdewanPurpose: "next" } } });
    await cnf.hasStatus("FirewallRule", "former", "Idle", `No CNF has the purpose ${cnf.purpose}`);
    await eventually(() => expect(named(simulator, path, "former")).toEqual([]));
    const { cnf: next } = await bed.planCnf({ quirks, namespace: cnf.namespace, purpose: "next" });
    await next.create("FirewallRule", "later", rule);
    await next.inSync("FirewallRule", "later");
    expect(named(simulator, path, "later")).toHaveLength(1);
    await next.delete("FirewallRule", "later");
    await next.gone("FirewallRule", "later");
    await cnf.delete("FirewallRule", "former");
    await cnf.gone("FirewallRule", "former");
  });

  it("keeps current objects, and loses those of deleted resources, when its Deployment is deleted without it", async () => {
    const cnf = await bed.createCnf({ quirks });
    const simulator = await cnf.simulator();
    for (const name of ["kept", "gone"]) await cnf.create("FirewallRule", name, rule);
    for (const name of ["kept", "gone"]) await cnf.inSync("FirewallRule", name);
    await bed.client.delete(Deployment, cnf.deployment, { propagationPolicy: "Orphan" });
    await cnf.hasStatus("FirewallRule", "kept", "Idle", "pods of a deleted Deployment still have the object");
    await cnf.delete("FirewallRule", "gone");
    await cnf.gone("FirewallRule", "gone");
    expect([named(simulator, path, "kept").length, named(simulator, path, "gone").length]).toEqual([1, 0]);
    await bed.client.deleteCollection(Pod, { namespace: cnf.namespace });
    await cnf.delete("FirewallRule", "kept");
    await cnf.gone("FirewallRule", "kept");
  });

  it("has manual changes reverted at the next check", async () => {
    const cnf = await bed.createCnf({ quirks });
    const simulator = await cnf.simulator();
    await cnf.create("FirewallRule", "drifting", rule);
    await cnf.inSync("FirewallRule", "drifting");
    const section = simulator.uci
      .sections("firewall", "rule")
      .find(({ options }) => options.get("name") === "drifting");
    if (!section) throw new Error("not there");
    simulator.uci.set("firewall", section, "target", "ACCEPT");
    simulator.uci.commit("firewall");
    await eventually(() =>
      expect(named(simulator, path, "drifting")).toEqual([expect.objectContaining({ target: "DROP" })]),
    );
    await cnf.delete("FirewallRule", "drifting");
    await cnf.gone("FirewallRule", "drifting");
  });

  it("is not configured from another namespace, and the resource names the flag", async () => {
    const cnf = await bed.createCnf({ quirks });
    const elsewhere = await bed.namespace();
    await cnf.create("FirewallRule", "foreign", rule, elsewhere);
    await cnf.hasStatus("FirewallRule", "foreign", "Idle", "--cnf-namespaces=same", elsewhere);
    expect(named(await cnf.simulator(), path, "foreign")).toEqual([]);
    await cnf.delete("FirewallRule", "foreign", elsewhere);
    await cnf.gone("FirewallRule", "foreign", elsewhere);
  });
});
