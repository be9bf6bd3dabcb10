import { keyOf } from "@kubewright/apimachinery";
import type { CnfSimulator } from "@kubewright/openwrt/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Cnf } from "./harness/cnf.ts";
import { named, serviceCommands } from "./harness/contents.ts";
import { modes } from "./harness/modes.ts";
import { cnfPassword, impatient, TestBed } from "./harness/test-bed.ts";

let bed: TestBed;
beforeAll(async () => {
  bed = await TestBed.start({
    cnfTimeouts: { requestTimeoutMs: 1_000, serviceTimeoutMs: 1_000 },
    session: impatient,
    checkIntervalMs: 600_000, // a check would use up the faults
  });
});
afterAll(() => bed?.stop());

const rules = "firewall/v1/rules";
const spec = { proto: "tcp", dest_port: "23", target: "DROP" };

describe.each(modes)("a rule for $mode", ({ quirks }) => {
  let cnf: Cnf;
  let simulator: CnfSimulator;
  beforeAll(async () => {
    cnf = await bed.createCnf({ quirks });
    simulator = await cnf.simulator();
  });
  beforeEach(() => simulator.clearFaults());
  const states = (name: string): string[] =>
    bed.log
      .filter(
        (line) => line.includes('"status changed"') && line.includes(`"namespace":"${cnf.namespace}","name":"${name}"`),
      )
      .map((line) => String(JSON.parse(line).state));

  it.each([
    { status: 500, body: "Out of memory" },
    { status: 502, body: "<h1>Bad Gateway</h1>" },
    { status: 403, body: "Authorization Required" },
    { status: 428, body: '{"message":"not yet"}' },
    { status: 409, body: '{"message":"Conflict"}' },
  ])("reports the error while the CNF answers $status, and becomes in sync afterwards", async ({ status, body }) => {
    const name = `status-${status}`;
    simulator.failNext({ status, body, count: 1_000, match: { path: /\/sdewan\/firewall\// } });
    await cnf.create("FirewallRule", name, spec);
    await cnf.hasStatus("FirewallRule", name, "Trying to apply", `Error Code: ${status}, Error Message: `);
    expect((await cnf.get("FirewallRule", name)).status?.appliedGeneration).toBeUndefined();

    simulator.clearFaults();
    await cnf.inSync("FirewallRule", name);
    expect(named(simulator, rules, name)).toHaveLength(1);
  });

  it("becomes in sync at once after the session ended: one new log-in, nothing in its status", async () => {
    await cnf.create("FirewallRule", "session-begun", spec);
    await cnf.inSync("FirewallRule", "session-begun");
    const { logins } = simulator;
    simulator.expireSessions();
    if (quirks) simulator.failNext({ status: 403, count: 1, match: { path: /\/sdewan\// } }); // it requires no log-in itself
    await cnf.create("FirewallRule", "session-ended", spec);
    await cnf.inSync("FirewallRule", "session-ended");
    expect(simulator.logins - logins).toBe(1);
    expect(states("session-ended")).toEqual(["In Sync"]);
  });

  it("is retried if the CNF does not answer in time", async () => {
    simulator.hangNext({ count: 1, match: { path: /firewall\/v1\/rules/ } });
    await cnf.create("FirewallRule", "hanging", spec);
    await cnf.hasStatus("FirewallRule", "hanging", "Trying to apply", "no response within 1000 ms");
    await cnf.inSync("FirewallRule", "hanging");
    expect(named(simulator, rules, "hanging")).toHaveLength(1);
  });

  it("is in sync only after a successful restart of the service that failed", async () => {
    const commandCount = serviceCommands(simulator).length;
    simulator.failNext({ status: 500, body: "busy", count: 1_000, match: { path: /service\/firewall/ } });
    await cnf.create("FirewallRule", "restart-failed", spec);
    await cnf.hasStatus("FirewallRule", "restart-failed", "Trying to apply", "Error Code: 500, Error Message: busy");
    expect(named(simulator, rules, "restart-failed")).toHaveLength(1);
    expect(serviceCommands(simulator)).toHaveLength(commandCount);

    simulator.clearFaults();
    await cnf.inSync("FirewallRule", "restart-failed");
    expect(serviceCommands(simulator).slice(commandCount)).toEqual(["fw3 reload"]);
  });

  it("keeps the time of its last success while it fails", async () => {
    await cnf.create("FirewallRule", "kept", spec);
    const { status } = await cnf.inSync("FirewallRule", "kept");
    simulator.failNext({ status: 500, body: "broken", count: 1_000, match: { path: /\/sdewan\/firewall\// } });
    await cnf.update("FirewallRule", "kept", { ...spec, dest_port: "24" });
    await cnf.hasStatus("FirewallRule", "kept", "Trying to apply", "broken");
    expect((await cnf.get("FirewallRule", "kept")).status).toMatchObject({
      appliedGeneration: 1,
      appliedTime: status?.appliedTime,
    });
    simulator.clearFaults();
    await cnf.inSync("FirewallRule", "kept");
    expect(named(simulator, rules, "kept")).toEqual([expect.objectContaining({ dest_port: "24" })]);
  });

  it("is deleted once the CNF allows it", async () => {
    await cnf.create("FirewallRule", "stubborn", spec);
    await cnf.inSync("FirewallRule", "stubborn");
    simulator.failNext({ status: 500, body: "broken", count: 1_000, match: { method: "DELETE" } });
    await cnf.delete("FirewallRule", "stubborn");
    await cnf.hasStatus("FirewallRule", "stubborn", "Being delete", "Error Code: 500, Error Message: broken");
    simulator.clearFaults();
    await cnf.gone("FirewallRule", "stubborn");
    expect(named(simulator, rules, "stubborn")).toEqual([]);
  });

  it("is in sync after truncated answers, and its object exists once", async () => {
    simulator.dropNext({ count: 1, match: { method: "POST", path: rules } });
    await cnf.create("FirewallRule", "cut-off", spec);
    await cnf.inSync("FirewallRule", "cut-off");
    expect(named(simulator, rules, "cut-off")).toHaveLength(1);
  });

  it("reports that the CNF cannot be reached, and is retried until it can", async () => {
    const [pod] = await cnf.pods();
    const key = keyOf(pod ?? { metadata: { name: "" } });
    await bed.cnfs.unplug(key);
    await cnf.create("FirewallRule", "unreachable", spec);
    await cnf.hasStatus("FirewallRule", "unreachable", "Trying to apply", /ECONNREFUSED|ECONNRESET|closed/);
    await bed.cnfs.plugIn(key);
    await cnf.inSync("FirewallRule", "unreachable");
    expect(named(await cnf.simulator(), rules, "unreachable")).toHaveLength(1);
  });
});

it("never had the CNFs' password in its log", () => {
  expect(bed.log.length).toBeGreaterThan(0);
  expect(bed.log.filter((line) => line.includes(cnfPassword))).toEqual([]);
});
