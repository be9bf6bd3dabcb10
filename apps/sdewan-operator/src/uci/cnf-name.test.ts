import { describe, expect, it } from "vitest";
import { cnfReference, mwan3Name, sectionName, zoneName } from "./cnf-name.ts";

describe("a name on the CNF", () => {
  it("of a section is a valid section name", () => {
    expect(sectionName("balance1")).toBe("balance1");
    expect(sectionName("sdewanapplication-sample")).toBe("sdewanapplication_sample");
    expect(sectionName("a.b")).toBe("a_b");
  });

  it("of a zone is unchanged if it is short enough", () => {
    expect(zoneName("ovn-network")).toBe("ovn-network");
  });

  it("of a zone keeps the beginning of a long name, and ends in a hash", () => {
    const [one, two] = ["firewallzone-sample", "firewallzone-sample2"].map(zoneName);
    expect(one).toMatch(/^firew_[0-9a-f]{5}$/);
    expect(two).toMatch(/^firew_[0-9a-f]{5}$/);
    expect(one).not.toBe(two);
  });

  it("of mwan3 is a section name of at most 15 characters, and none of its reserved words", () => {
    expect(mwan3Name("balance-all.wan")).toBe("balance_all_wan");
    expect(mwan3Name("balance-all-wans")).toMatch(/^balance_a_[0-9a-f]{5}$/);
    expect(mwan3Name("balance-all.wans")).not.toBe(mwan3Name("balance-all-wans"));
    for (const word of ["default", "unreachable", "blackhole"]) {
      expect(mwan3Name(word)).not.toBe(word);
      expect(mwan3Name(word).length).toBeLessThanOrEqual(15);
    }
    expect(mwan3Name("default1")).toBe("default1");
  });

  it("is the same in references, and empty for an empty reference", () => {
    const zone = { nameOnCnf: zoneName };
    expect(cnfReference(zone, " firewallzone-sample ")).toBe(zoneName("firewallzone-sample"));
    expect(cnfReference(zone, undefined)).toBe("");
  });
});
