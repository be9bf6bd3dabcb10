import { describe, expect, it } from "vitest";
import { type CnfReport, informationOf, moduleText } from "./cnf-report.ts";
import { fitted, fittedInPlace, maxBytes } from "./fit.ts";

const report = (name: string, statuses: Record<string, unknown>): CnfReport => ({
  pod: { name },
  modules: Object.entries(statuses).map(([module, status]) => moduleText({ name: module, status })),
});
const shown = (reports: readonly CnfReport[]): string[] => reports.map((each) => informationOf(each).status ?? "");
const sizeOf = (reports: readonly CnfReport[]): number =>
  Buffer.byteLength(JSON.stringify({ information: reports.map(informationOf) }));
const connections = (count: number) => Array.from({ length: count }, (_, id) => ({ protocol: "tcp", id }));

describe("the content of a CNFStatus", () => {
  it("is complete while it fits", () => {
    const reports = [
      report("a", { conntrack: connections(10), ipsec: { up: "1" } }),
      { pod: { name: "b" }, modules: undefined },
    ];
    expect(fitted(reports)).toBe(reports);
    expect(shown(fitted(reports))[1]).toBe("Not Available");
  });

  it("omits the largest list of connections first, and gives its size", () => {
    const [small, large] = [connections(100), connections(20_000)];
    const route = { table: "x".repeat(500_000) };
    const reports = [report("a", { conntrack: small, route }), report("b", { conntrack: large, ipsec: { up: "1" } })];
    const fit = fitted(reports);
    const [first, second] = shown(fit).map((text) => JSON.parse(text) as unknown);
    expect(first).toEqual([
      { name: "conntrack", status: small },
      { name: "route", status: route },
    ]);
    expect(second).toEqual([
      { name: "conntrack", status: `omitted, ${Buffer.byteLength(JSON.stringify(large))} bytes` },
      { name: "ipsec", status: { up: "1" } },
    ]);
    expect(sizeOf(fit)).toBeLessThanOrEqual(maxBytes);
  });

  it("omits other modules only when no list of connections is left", () => {
    const reports = [
      report("a", { conntrack: connections(10), route: "r".repeat(800_000), rule: "u".repeat(100) }),
      report("b", { conntrack: connections(10), route: "s".repeat(200_000) }),
    ];
    const fit = fitted(reports);
    const statuses = shown(fit).map((text) => JSON.parse(text) as { name: string; status: string }[]);
    expect(statuses[0]?.map(({ status }) => status)).toEqual([
      expect.stringMatching(/^omitted, \d+ bytes$/),
      "omitted, 800002 bytes",
      "u".repeat(100),
    ]);
    expect(statuses[1]?.[1]?.status).toBe("s".repeat(200_000));
    expect(sizeOf(fit)).toBeLessThanOrEqual(maxBytes);
  });

  it("accounts for escaped quotation marks and non-ASCII characters", () => {
    const reports = [report("a", { conntrack: '"é'.repeat(160_000) }), report("b", { ipsec: {} })];
    expect(sizeOf(reports)).toBeGreaterThan(maxBytes);
    expect(sizeOf(fitted(reports))).toBeLessThan(1_000);
  });

  it("omits whole pods if there are too many", () => {
    const reports = Array.from({ length: 20_000 }, (_, index) => report(`pod-${index}-${"x".repeat(40)}`, {}));
    const fit = fitted(reports);
    expect(fit.length).toBeGreaterThan(5_000);
    expect(fit[0]?.pod.name).toMatch(/^pod-0-/);
    expect(sizeOf(fit)).toBeLessThanOrEqual(maxBytes + 100);
  });

  const of = (purpose: string, index: number, modules: Record<string, unknown> = {}): CnfReport => {
    const { modules: texts } = report("x", modules);
    return { pod: { name: `${purpose}-${index}-${"x".repeat(200)}`, namespace: "cnfs", purpose }, modules: texts };
  };
  const countOf = (fit: readonly CnfReport[], purpose: string): number =>
    fit.filter(({ pod }) => pod.purpose === purpose).length;

  it("omits no pods of a CNF with few in favor of one with many", () => {
    const many = Array.from({ length: 20_000 }, (_, index) => of("a-hostile", index));
    const few = ["b", "c"].flatMap((purpose) => [of(purpose, 0), of(purpose, 1, { ipsec: { up: "1" } })]);
    const fit = fitted([...many, ...few]);
    expect([countOf(fit, "b"), countOf(fit, "c")]).toEqual([2, 2]);
    expect(fit.slice(-4)).toEqual(few);
    expect(countOf(fit, "a-hostile")).toBeGreaterThan(1_000);
    expect(sizeOf(fit)).toBeLessThanOrEqual(maxBytes + 100);
  });

  it.each([
    ["of a long name", { ["x".repeat(3_000_000)]: "up" }],
    ["by the thousand", Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`m${index}`, 1]))],
  ])("omits only reports of the CNF with modules %s", (_what, modules) => {
    const good = Array.from({ length: 50 }, (_, index) => of("good", index, { ipsec: { up: "1" } }));
    const fit = fitted([of("a-hostile", 0, modules), ...good]);
    expect(shown(fit)[0]).toMatch(/^\[{"name":"all","status":"omitted, \d+ bytes"}\]$/);
    expect(fit.slice(1)).toEqual(good);
  });

  it("shortens the largest reports first, and no more than necessary", () => {
    const modules = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 1]));
    const reports = [
      of("a", 0, modules(4)),
      of("b", 0, modules(400)),
      of("c", 0, modules(40)),
      of("d", 0, modules(200)),
    ];
    const cut = (limit: number) => shown(fitted(reports, limit)).map((text) => text.startsWith('[{"name":"all"'));
    const all = sizeOf(reports) - sizeOf([]);
    expect(cut(all + 10)).toEqual([false, false, false, false]);
    expect(cut(all - 100)).toEqual([false, true, false, false]);
    expect(cut(all * 0.3)).toEqual([false, true, false, true]);
  });

  it("keeps each report at its position when it is shortened in between", () => {
    const many = Array.from({ length: 6 }, (_, index) => of("many", index, { ipsec: { up: "1" } }));
    const few = [of("few", 0, { ipsec: { up: "1" } }), undefined, of("few", 1, { ipsec: { up: "1" } })];
    const reports = [...many, ...few];
    const left = fittedInPlace(reports, 1_500);
    expect(left.map((each) => each?.pod)).toEqual(reports.map((each) => each?.pod));
    expect(left.map((each) => each?.modules?.length ?? 0)).toEqual([1, 1, 0, 0, 0, 0, 1, 0, 1]);
  });
});
