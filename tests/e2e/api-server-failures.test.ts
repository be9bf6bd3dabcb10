import { ignoreAlreadyExists, keyOf } from "@kubewright/apimachinery";
import { Pod } from "@kubewright/client/kinds";
import type { CnfSimulator } from "@kubewright/openwrt/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Cnf } from "./harness/cnf.ts";
import { named, names } from "./harness/contents.ts";
import { eventually } from "./harness/eventually.ts";
import { modes } from "./harness/modes.ts";
import { createEachKind, heldOfEachKind } from "./harness/one-of-each.ts";
import { ruleKind } from "./harness/rules.ts";
import { impatient, TestBed } from "./harness/test-bed.ts";

let bed: TestBed;
// Each test needs a new bed: informers wait longer after each failure, up to half a minute, and reset that only after two minutes.
beforeEach(async () => {
  bed = await TestBed.start({ session: impatient });
});
afterEach(() => bed?.stop());

const rules = "firewall/v1/rules";
const spec = { proto: "tcp", dest_port: "23", target: "DROP" };

describe.each(modes)("rules for $mode", ({ quirks }) => {
  let cnf: Cnf;
  let simulator: CnfSimulator;
  beforeEach(async () => {
    cnf = await bed.createCnf({ quirks });
    simulator = await cnf.simulator();
  });
  const survives = async (name: string): Promise<void> => {
    // The first request may use a connection whose end the client has not noticed.
    await eventually(() => cnf.create("FirewallRule", `${name}-new`, spec).catch(ignoreAlreadyExists));
    await cnf.inSync("FirewallRule", `${name}-new`);
    await cnf.update("FirewallRule", `${name}-new`, { ...spec, dest_port: "24" });
    await cnf.inSync("FirewallRule", `${name}-new`);
    expect(named(simulator, rules, `${name}-new`)).toEqual([expect.objectContaining({ dest_port: "24" })]);
    await cnf.delete("FirewallRule", `${name}-new`);
    await cnf.gone("FirewallRule", `${name}-new`);
    expect(named(simulator, rules, `${name}-new`)).toEqual([]);
  };

  it("are followed after the watches were closed", async () => {
    expect(bed.env.faults.cutWatches()).toBeGreaterThan(10);
    await survives("cut");
  });

  it("are followed after the watches had expired", async () => {
    expect(bed.env.faults.expireWatches()).toBeGreaterThan(10);
    await survives("expired");
  });

  it("are followed after every connection was closed", async () => {
    bed.env.faults.cutConnections();
    await survives("connections");
  });

  it("become in sync although writes of their statuses and finalizers failed", async () => {
    const kind = ruleKind("FirewallRule");
    bed.env.faults.failNext({
      kind,
      verb: "patch",
      status: 500,
      reason: "InternalError",
      message: "no luck",
      count: 2,
    });
    await cnf.create("FirewallRule", "unlucky", spec);
    await cnf.inSync("FirewallRule", "unlucky");
    bed.env.faults.failNext({ kind, verb: "patch", subResource: "status", status: 409, reason: "Conflict", count: 1 });
    await cnf.update("FirewallRule", "unlucky", { ...spec, dest_port: "25" });
    await cnf.inSync("FirewallRule", "unlucky");
    expect(named(simulator, rules, "unlucky")).toEqual([expect.objectContaining({ dest_port: "25" })]);
    await bed.env.faults.clear();
    await cnf.delete("FirewallRule", "unlucky");
    await cnf.gone("FirewallRule", "unlucky");
  });

  it("lose nothing when the API server restarts, and later changes are followed", async () => {
    await createEachKind(cnf);
    simulator.requests.clear();
    await bed.env.restart();
    await survives("restarted");
    expect(names(simulator)).toEqual(heldOfEachKind);
    const writes = simulator.requests.entries.filter(
      ({ method, path }) => method !== "GET" && !path.endsWith("/luci/"),
    );
    const ofOthers = writes.filter(
      ({ path, body }) => !path.includes("/service/") && !`${path}${body}`.includes("-new"),
    );
    expect(ofOthers).toEqual([]);
  });

  it("return to a CNF whose pod was deleted just before the API server restarted", async () => {
    await createEachKind(cnf);
    const [before] = await cnf.pods();
    await bed.client.delete(Pod, keyOf(before ?? { metadata: { name: "" } }));
    await bed.env.restart();
    await eventually(async () => {
      const [next, ...others] = await cnf.pods();
      expect(others).toEqual([]);
      expect(next?.metadata.uid).not.toBe(before?.metadata.uid);
      expect(names(await cnf.simulator())).toEqual(heldOfEachKind);
    }, 60_000);
    simulator = await cnf.simulator();
    await survives("away");
    await cnf.available();
  });
});
