import { describe, expect, it } from "vitest";
import { orderAnnotation } from "../api/group.ts";
import { cnfNat } from "../kinds/cnf-nat.ts";
import { cnfRouteRule } from "../kinds/cnf-route-rule.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import type { CnfKind } from "./cnf-kind.ts";
import { compareOrder, displacedIn, fileOrder, orderOf, orderProblem, stayingCount } from "./order.ts";
import type { UciObject } from "./uci-object.ts";

const resource = (name: string, order?: string, creationTimestamp?: string) => ({
  apiVersion: "batch.sdewan.akraino.org/v1alpha1",
  kind: "FirewallRule",
  metadata: {
    name,
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(order === undefined ? {} : { annotations: { [orderAnnotation]: order } }),
  },
});

const [early, late] = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"];

describe("order of resources", () => {
  it("goes by annotation, then by creation time, then by name", () => {
    const wanted = [
      resource("negative", "-2", late),
      resource("a-early", undefined, early),
      resource("b-early", "0", early),
      resource("a-late", "000", late),
      resource("not-stored"),
      resource("ninth", "9", late),
      resource("tenth", "10", early),
    ];
    const sorted = wanted.toReversed().toSorted((a, b) => compareOrder(orderOf(a), orderOf(b)));
    expect(sorted.map(({ metadata }) => metadata.name)).toEqual(wanted.map(({ metadata }) => metadata.name));
  });

  it("accepts integers of up to a million, of either sign", () => {
    for (const text of ["0", "-0", "7", "1000000", "-1000000"])
      expect(orderProblem(resource("a", text))).toBeUndefined();
    expect(compareOrder(orderOf(resource("a", "-0")), orderOf(resource("b", "0")))).toBe(-1);
  });

  it.each(["", " 1", "1.5", "1e3", "0x1", "+1", "first", "1000001", "-1000001", "99999999"])(
    "refuses %j, and names the value and the remedy",
    (text) => {
      const problem =
        `annotation sdewan.akraino.org/order: ${JSON.stringify(text)} is not an integer from -1000000 to 1000000; ` +
        "change it, or remove the annotation for 0";
      expect(() => orderOf(resource("a", text))).toThrow(problem);
    },
  );

  it("shows only the beginning of a long value", () => {
    expect(orderProblem(resource("a", "9".repeat(200_000)))?.length).toBeLessThan(250);
  });
});

describe("kinds that are kept in order", () => {
  it("are those of which the first or last match applies", () => {
    const ordered = ruleKinds.flatMap(({ kind, precedence }) => (precedence ? [`${kind.kind} ${precedence}`] : []));
    expect(ordered).toEqual([
      "FirewallZone first",
      "Mwan3Rule first",
      "FirewallRule first",
      "FirewallSNAT first",
      "FirewallDNAT first",
      "NetworkFirewallRule first",
      "CNFNAT first",
      "CNFRoute first",
      "CNFRouteRule last",
    ]);
  });

  it("do not move an object that determines its own position", () => {
    const positioned = (kind: string, object: Record<string, string>): boolean | undefined =>
      ruleKinds.find((each) => each.kind.kind === kind)?.hasPosition(object);
    expect(positioned("CNFNAT", { index: "2" })).toBe(true);
    expect(positioned("CNFNAT", { index: "0" })).toBe(false);
    expect(positioned("CNFNAT", { index: "" })).toBe(false);
    expect(positioned("CNFRouteRule", { prio: "650" })).toBe(true);
    expect(positioned("CNFRouteRule", { prio: "" })).toBe(false);
    expect(positioned("FirewallRule", { index: "2" })).toBe(false);
  });
});

describe("objects at one position", () => {
  const groupsOf = (kind: CnfKind, objects: readonly UciObject[]): string[] => {
    const groups = kind.positions?.groupsOf(new Map(objects.map((object, index) => ["abcdefgh"[index] ?? "", object])));
    return (groups ?? []).map((names) => names.toSorted().join("")).sort();
  };
  const dnat = { target: "DNAT", index: "2" };
  const snat = { target: "SNAT", index: "1" };

  it.each<[string, readonly UciObject[], readonly string[]]>([
    ["the same port", ["443", "443", "8443"].map((src_dport) => ({ ...dnat, src_dport })), ["ab", "c"]],
    ["no port", ["443", "8443", ""].map((src_dport) => ({ ...dnat, src_dport })), ["abc"]],
    ["a port that programs read differently", ["8", "9", "010"].map((src_dport) => ({ ...dnat, src_dport })), ["abc"]],
    ["another index", ["1", "2", "02"].map((index) => ({ ...dnat, index })), ["a", "bc"]],
    ["another chain", [dnat, { ...dnat, target: "SNAT" }, { ...dnat, target: "MASQUERADE" }], ["a", "bc"]],
    [
      "networks that overlap",
      ["10.2.0.0/16", "10.1.0.9", "10.1.0.0/16", "10.2.1.0/24", "10.3.0.1"].map((dest_ip) => ({ ...snat, dest_ip })),
      ["ad", "bc", "e"],
    ],
    ["no destination", ["10.1.0.1", "10.2.0.1", ""].map((dest_ip) => ({ ...snat, dest_ip })), ["abc"]],
    ["the new address only", ["10.1.0.1", "10.2.0.1"].map((dest_ip) => ({ ...dnat, src_dport: "1", dest_ip })), ["ab"]],
  ])("are translations that may match the same packets: %s", (_, objects, groups) => {
    expect(groupsOf(cnfNat, objects)).toEqual(groups);
  });

  it("are routing rules of the same priority", () => {
    const rules = ["650", "651", "0650"].map((prio, index) => ({ prio, src: `10.${index}.0.0/16` }));
    expect(groupsOf(cnfRouteRule, rules)).toEqual(["ac", "b"]);
  });

  it("are grouped quickly", () => {
    const objects = Array.from({ length: 5_000 }, (_, index): [string, UciObject] => [
      `n${index}`,
      { ...dnat, src_dport: String(index + 1), src_dip: `10.${index % 250}.0.0/16` },
    ]);
    const beganMs = performance.now();
    expect(cnfNat.positions?.groupsOf(new Map(objects))).toHaveLength(5_000);
    expect(performance.now() - beganMs).toBeLessThan(1_000);
  });
});

describe("objects that stay where they are", () => {
  const staying = (current: string, wanted: string, written = ""): number =>
    stayingCount([...current], [...wanted], (name) => written.includes(name));

  it("are the first ones that are in order", () => {
    expect(staying("abc", "abc")).toBe(3);
    expect(staying("ab", "abc")).toBe(2);
    expect(staying("bca", "abc")).toBe(1);
    expect(staying("cba", "abc")).toBe(1);
    expect(staying("acb", "abc")).toBe(2);
    expect(staying("", "abc")).toBe(0);
    expect(staying("bc", "abc")).toBe(0);
  });

  it("do not include objects behind one that is written", () => {
    expect(staying("abc", "abc", "b")).toBe(1);
    expect(staying("abc", "abc", "c")).toBe(2);
  });

  it("ignore other objects in between", () => {
    expect(staying("xaybz", "ab")).toBe(2);
  });

  it("lead to the wanted order with the fewest writes, whatever the order was", () => {
    const permutations = (names: string): string[] =>
      names === ""
        ? [""]
        : [...names].flatMap((name) => permutations(names.replace(name, "")).map((rest) => name + rest));
    const afterWrites = (current: string, written: readonly string[]): string =>
      written.reduce((names, name) => names.replace(name, "") + name, current);
    const subsets = [""];
    for (const name of "abcd") subsets.push(...subsets.map((set) => set + name));
    for (const current of permutations("abcd")) {
      const count = staying(current, "abcd");
      expect(afterWrites(current, [..."abcd"].slice(count))).toBe("abcd");
      const fewest = subsets.filter((set) =>
        permutations(set).some((each) => afterWrites(current, [...each]) === "abcd"),
      );
      expect(4 - count).toBe(Math.min(...fewest.map((set) => set.length)));
    }
  });
});

describe("displaced objects", () => {
  const displaced = (current: string, wanted: string): string => [...displacedIn([...current], [...wanted])].join("");

  it("are those that were moved, not those that must be written", () => {
    expect(displaced("abcd", "abcd")).toBe("");
    expect(displaced("bcda", "abcd")).toBe("a");
    expect(displaced("dabc", "abcd")).toBe("d");
    expect(displaced("acbd", "abcd")).toHaveLength(1);
    expect(displaced("xbya", "ab")).toHaveLength(1);
    expect(displaced("", "ab")).toBe("");
  });

  it("are found quickly among thousands", () => {
    const wanted = Array.from({ length: 5_000 }, (_, index) => `r${index}`);
    const [first = "", ...others] = wanted;
    expect([...displacedIn([...others, first], wanted)]).toEqual([first]);
    expect(displacedIn(wanted.toReversed(), wanted).size).toBe(4_999);
  });
});

it("reverses the order on the CNF for kinds of which the last match applies", () => {
  const [a, b] = [orderOf(resource("a", "1")), orderOf(resource("b", "2"))];
  expect(fileOrder("first")(a, b)).toBeLessThan(0);
  expect(fileOrder("last")(a, b)).toBeGreaterThan(0);
});
