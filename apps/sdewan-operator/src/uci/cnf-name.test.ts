import { describe, expect, it } from "vitest";
import { cnfName, cnfReference } from "./cnf-name.ts";

describe("cnfName", () => {
  it("leaves a name alone that the CNF can hold", () => {
    expect(cnfName("Mwan3Policy", "balance1")).toBe("balance1");
    expect(cnfName("FirewallZone", "ovn-network")).toBe("ovn-network");
    expect(cnfName("FirewallRule", "a-rule.with-any-name-that-kubernetes-allows")).toBe(
      "a-rule.with-any-name-that-kubernetes-allows",
    );
  });

  it("replaces what a section name cannot hold", () => {
    expect(cnfName("SdewanApplication", "sdewanapplication-sample")).toBe("sdewanapplication_sample");
    expect(cnfName("IpsecConnection", "a.b")).toBe("a_b");
  });

  it("keeps the beginning of a zone's name that is too long, and tells it from others by a hash", () => {
    const [one, two] = ["firewallzone-sample", "firewallzone-sample2"].map((name) => cnfName("FirewallZone", name));
    expect(one).toMatch(/^firew_[0-9a-f]{5}$/);
    expect(two).toMatch(/^firew_[0-9a-f]{5}$/);
    expect(one).not.toBe(two);
  });

  it("lets references meet what they refer to, and stay empty where they are", () => {
    expect(cnfReference("FirewallZone", " firewallzone-sample ")).toBe(cnfName("FirewallZone", "firewallzone-sample"));
    expect(cnfReference("FirewallZone", undefined)).toBe("");
  });
});
