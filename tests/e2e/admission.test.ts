import { isInvalid, isStatusError } from "@kubewright/apimachinery";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CniInterface, type RuleKindName, ruleKind, ruleKindNames, type Spec } from "./harness/rules.ts";
import { ruleScenarios } from "./harness/scenarios.ts";
import { TestBed } from "./harness/test-bed.ts";

let bed: TestBed;
beforeAll(async () => {
  bed = await TestBed.start();
});
afterAll(() => bed?.stop());

const create = (kind: RuleKindName, spec: Spec, fieldValidation: "Strict" | "Warn" = "Warn") => {
  const metadata = { name: "bad", namespace: "default", labels: { sdewanPurpose: "nobody" } };
  return bed.client.create(ruleKind(kind), { metadata, spec: spec }, { fieldValidation, dryRun: true });
};
const specOf = (kind: RuleKindName): Spec => ({
  ...ruleScenarios.find((scenario) => scenario.kind === kind)?.spec,
});

describe("the API server", () => {
  it.each(ruleKindNames)("refuses an unknown field of a %s, and names its path", async (kind) => {
    await expect(create(kind, { ...specOf(kind), colour: "red" }, "Strict")).rejects.toThrow(
      'unknown field "spec.colour"',
    );
  });

  it.each(ruleKindNames)("accepts the %s of the suite", async (kind) => {
    expect((await create(kind, specOf(kind), "Strict")).metadata.name).toBe("bad");
  });

  it.each([
    ["Mwan3Policy", "members", "spec.members: Required value"],
    ["Mwan3Rule", "timeout", "spec.timeout: Required value"],
    ["FirewallZone", "network", "spec.network: Required value"],
    ["IpsecProposal", "dh_group", "spec.dh_group: Required value"],
    ["IpsecHost", "remote", "spec.remote: Required value"],
    ["IpsecSite", "crypto_proposal", "spec.crypto_proposal: Required value"],
  ] satisfies [RuleKindName, string, string][])("refuses a %s without %s", async (kind, field, message) => {
    const { [field]: _, ...rest } = specOf(kind);
    await expect(create(kind, rest)).rejects.toThrow(message);
  });

  it.each([
    ["FirewallRule", { target: "DORP" }, 'spec.target: Unsupported value: "DORP"'],
    ["FirewallRule", { dest_port: "70000" }, 'spec.dest_port: Invalid value: "70000"'],
    ["FirewallRule", { src_ip: "10.0.0.300" }, "spec.src_ip: Invalid value"],
    ["FirewallZone", { masq: "yes" }, 'spec.masq: Unsupported value: "yes"'],
    ["FirewallZone", { network: [] }, "spec.network: Invalid value"],
    ["FirewallZone", { network: "net-a" }, "spec.network: Invalid value"],
    ["Mwan3Policy", { members: [{ network: "net-a", metric: 0, weight: 1 }] }, "spec.members[0].metric: Invalid value"],
    [
      "Mwan3Policy",
      { members: [{ network: "net-a", metric: "1", weight: 1 }] },
      "spec.members[0].metric: Invalid value",
    ],
    ["CNFRoute", { table: "main" }, 'spec.table: Unsupported value: "main"'],
    ["CNFRouteRule", { not: "yes" }, "spec.not: Invalid value"],
    ["CNFNAT", { index: "-1" }, "spec.index: Invalid value"],
    ["IpsecProposal", { dh_group: "modp1" }, 'spec.dh_group: Unsupported value: "modp1"'],
    ["IpsecHost", { connections: [{ name: "a", conn_type: "tunel", mode: "start" }] }, "spec.connections[0].conn_type"],
    [
      "IpsecSite",
      { connections: [{ name: "a", conn_type: "tunnel", mode: "add" }] },
      "spec.connections[0].local_subnet: Required value",
    ],
  ] satisfies [RuleKindName, Spec, string][])("refuses a %s with %j", async (kind, wrong, message) => {
    const refused = create(kind, { ...specOf(kind), ...wrong });
    await expect(refused).rejects.toSatisfy(isInvalid);
    await expect(refused).rejects.toThrow(message);
  });

  it.each([
    ["FirewallRule", { target: "MARK" }, "set_mark or set_xmark is needed for the target MARK"],
    ["FirewallRule", { target: "MARK", set_mark: " " }, "set_mark or set_xmark is needed for the target MARK"],
    ["NetworkFirewallRule", { target: "MARK" }, "set_mark or set_xmark is needed for the target MARK"],
    ["FirewallSNAT", { src_dip: " " }, "the address to translate to is needed for SNAT"],
    ["FirewallSNAT", { dest: "" }, "the zone that traffic leaves through is needed for SNAT"],
    ["FirewallDNAT", { src: "" }, "the zone that traffic enters through is needed for DNAT"],
    ["CNFNAT", { target: "SNAT", src_dip: "", dest: "net1" }, "is needed for the target SNAT"],
    ["CNFNAT", { target: "MASQUERADE", dest: "" }, "is needed for MASQUERADE"],
    [
      "IpsecHost",
      { authentication_method: "psk", pre_shared_key: " " },
      "a key is needed for the authentication method psk",
    ],
    [
      "IpsecSite",
      { authentication_method: "psk", pre_shared_key: "" },
      "a key is needed for the authentication method psk",
    ],
  ] satisfies [RuleKindName, Spec, string][])("refuses a %s with %j: %s", async (kind, wrong, message) => {
    const refused = create(kind, { ...specOf(kind), ...wrong });
    await expect(refused).rejects.toSatisfy(isInvalid);
    await expect(refused).rejects.toThrow(message);
  });

  it.each([
    ["FirewallRule", { target: "MARK", set_mark: "0x20" }],
    ["FirewallRule", { target: "MARK", set_xmark: "0x20/0xff" }],
    ["CNFNAT", { target: "SNAT", src_dip: "10.0.0.1", dest: "#source" }],
    ["CNFNAT", { target: "DNAT", dest_ip: "", dest_port: "" }],
    ["CNFNAT", { target: "" }],
    ["IpsecHost", { authentication_method: "pubkey", pre_shared_key: "" }],
  ] satisfies [RuleKindName, Spec][])("accepts a %s with %j", async (kind, right) => {
    expect((await create(kind, { ...specOf(kind), ...right })).metadata.name).toBe("bad");
  });

  it("repeats no key in its message when it refuses a key for another method", async () => {
    const { connections: _connections, ...rest } = specOf("IpsecHost");
    const spec = { ...rest, local_private_cert: "very-secret", pre_shared_key: "  ", connections: [] };
    const refused = await create("IpsecHost", spec).catch((error: unknown) => error);
    expect(String(refused)).toContain("a key is needed");
    expect(String(refused)).not.toContain("very-secret");
  });

  it("warns about an unknown field by default, and drops it", async () => {
    const warnings: string[] = [];
    const { Client } = await import("@kubewright/client");
    await using client = new Client({
      connection: bed.env.connection(),
      onWarning: (warning) =>
        void warnings.push(String(typeof warning === "string" ? warning : JSON.stringify(warning))),
    });
    const metadata = { name: "warned", namespace: "default" };
    const spec = { target: "DROP", colour: "red" };
    const stored = await client.create(ruleKind("FirewallRule"), { metadata, spec }, { fieldValidation: "Warn" });
    expect(stored.spec).toEqual({ target: "DROP" });
    expect(warnings).toEqual([expect.stringContaining('unknown field "spec.colour"')]);
    await client.delete(ruleKind("FirewallRule"), "default/warned");
  });

  it("refuses a CniInterface with a state other than up and down", async () => {
    const metadata = { name: "bad", namespace: "default" };
    const refused = bed.client.create(CniInterface, { metadata, spec: { name: "net1", status: "sideways" } });
    await expect(refused).rejects.toThrow("spec.status: Invalid value");
    await expect(refused).rejects.toSatisfy(isStatusError);
  });
});
