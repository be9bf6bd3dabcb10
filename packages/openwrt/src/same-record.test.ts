import { describe, expect, it } from "vitest";
import { isSameRecord } from "./same-record.ts";

describe("isSameRecord", () => {
  it("treats empty, null, false and absent fields alike", () => {
    expect(isSameRecord({ name: "a", src: "", subnet: null, flag: false }, { name: "a" })).toBe(true);
    expect(isSameRecord({ name: "a" }, { name: "a", flag: false })).toBe(true);
  });

  it("notices different, missing and additional fields", () => {
    expect(isSameRecord({ name: "a", src: "x" }, { name: "a", src: "y" })).toBe(false);
    expect(isSameRecord({ name: "a", src: "x" }, { name: "a" })).toBe(false);
    expect(isSameRecord({ name: "a" }, { name: "a", src: "x" })).toBe(false);
    expect(isSameRecord({ network: ["a", "b"] }, { network: ["b", "a"] })).toBe(false);
  });

  it("ignores fields that the CNF fills in", () => {
    const wanted = { name: "p", dev: "#default", members: [{ interface: "net1" }, { interface: "net2" }] };
    const members = [
      { name: "p_net2", interface: "net2" },
      { name: "p_net1", interface: "net1" },
    ];
    expect(isSameRecord(wanted, { ...wanted, dev_val: "eth0", enabled: "1", members })).toBe(true);
  });

  it("ignores the order of connections", () => {
    const [one, two] = [
      { name: "c1", mode: "start", if_id: "1" },
      { name: "c2", mode: "add" },
    ];
    expect(isSameRecord({ connections: [one, two] }, { connections: [two, { name: "c1", mode: "start" }] })).toBe(true);
    expect(isSameRecord({ connections: [one, two] }, { connections: [two, { name: "c1", mode: "add" }] })).toBe(false);
  });
});
