import { describe, expect, it } from "vitest";
import { ipsecHost } from "../kinds/ipsec-remotes.ts";
import { garbledHash, sameOnCnf } from "./compare.ts";
import type { UciObject } from "./uci-object.ts";

const same = (desired: UciObject, stored: UciObject, sentHash?: string): boolean =>
  sameOnCnf(ipsecHost, desired, stored, sentHash);

describe("sameOnCnf", () => {
  it("treats absent, empty and null alike, trims text and ignores fields that the CNF adds", () => {
    const desired = { name: "a", type: "", gateway: " 10.0.0.1 ", crypto_proposal: null };
    expect(same(desired, { name: "a", gateway: "10.0.0.1", enabled: "1" })).toBe(true);
    expect(same(desired, { name: "a", gateway: "10.0.0.2" })).toBe(false);
    expect(same({ name: "a" }, { name: "a", gateway: "10.0.0.1" })).toBe(true);
  });

  it("treats a number like its text", () => {
    expect(same({ name: "a", gateway: "5" }, { name: "a", gateway: 5 } as unknown as UciObject)).toBe(true);
    expect(same({ name: "a", gateway: "5" }, { name: "a", gateway: 6 } as unknown as UciObject)).toBe(false);
  });

  it("compares lists in order, but connections by name", () => {
    expect(same({ crypto_proposal: ["a", "b"] }, { crypto_proposal: ["b", "a"] })).toBe(false);
    expect(same({ crypto_proposal: ["a", "b"] }, { crypto_proposal: ["a", "b"] })).toBe(true);
    const [one, two] = [
      { name: "one", conn_type: "transport" },
      { name: "two", conn_type: "tunnel" },
    ];
    expect(same({ connections: [one, two] }, { connections: [two, one] })).toBe(true);
    expect(same({ connections: [one, two] }, { connections: [one] })).toBe(false);
  });

  it.each<[string, UciObject, unknown]>([
    ["an object and a text", { connections: [{ name: "c" }] }, ["c"]],
    ["an object of nothing and a text", { connections: [{}] }, ["c"]],
    ["an object of nothing and a number", { connections: [{}] }, [5]],
    ["an object of nothing and nothing", { connections: [{}] }, [null]],
    ["an empty text and an object", { connections: [""] }, [{ name: "c" }]],
    ["a text and an object", { connections: ["c"] }, [{ name: "c" }]],
    ["a list and a text", { connections: ["c"] }, "c"],
  ])("does not treat %s in a list as equal", (_what, desired, connections) => {
    expect(same(desired, { connections } as UciObject)).toBe(false);
  });

  it("accepts that a CNF drops if_id, and notices a different one", () => {
    const desired = { connections: [{ name: "c", if_id: "12" }] };
    expect(same(desired, { connections: [{ name: "c" }] })).toBe(true);
    expect(same(desired, { connections: [{ name: "c", if_id: "13" }] })).toBe(false);
  });

  it("compares obfuscated certificates by the hash of those sent", () => {
    const desired = { name: "a", shared_ca: "LS0t", local_private_cert: "a2V5" };
    const garbled = { name: "a", shared_ca: "\u0004garbled" };
    expect(same(desired, garbled)).toBe(false);
    expect(same(desired, garbled, garbledHash(ipsecHost, desired))).toBe(true);
    expect(same({ ...desired, shared_ca: "bmV3" }, garbled, garbledHash(ipsecHost, desired))).toBe(false);
    expect(same(desired, desired)).toBe(true);
    expect(garbledHash(ipsecHost, { name: "a", shared_ca: "" })).toBeUndefined();
  });
});
