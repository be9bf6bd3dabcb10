import { describe, expect, it } from "vitest";
import {
  addResources,
  equalResources,
  exceedingResources,
  formatResourceList,
  maskResources,
  maxResources,
  parseResourceList,
  resourcesText,
  subtractResources,
  type WireResourceList,
  withoutZeros,
} from "./resource-list.ts";

const of = (list: WireResourceList) => parseResourceList(list);
const inherited = ["constructor", "toString", "__proto__"];

/** @see apiserver pkg/quota/v1 resources_test.go */
describe("resources", () => {
  it("can be added, with those of only one side unchanged", () => {
    expect(formatResourceList(addResources(of({ cpu: "1", pods: 1 }), of({ cpu: "500m", memory: "1Gi" })))).toEqual({
      cpu: "1500m",
      pods: "1",
      memory: "1Gi",
    });
  });

  it("can be subtracted, but not below zero", () => {
    const rest = subtractResources(
      of({ cpu: "1", pods: "1", memory: "1" }),
      of({ cpu: "999m", pods: "2", storage: "1" }),
    );
    expect(formatResourceList(rest)).toEqual({ cpu: "1m", pods: "0", memory: "1", storage: "0" });
  });

  it("have a maximum of each", () => {
    const most = maxResources(of({ cpu: "1", pods: "1", memory: "1" }), of({ cpu: "2", pods: "500m", storage: "1" }));
    expect(formatResourceList(most)).toEqual({ cpu: "2", pods: "1", memory: "1", storage: "1" });
  });

  it("can be restricted to names, and to non-zero amounts", () => {
    const list = of({ cpu: "1", pods: "0", memory: "1" });
    expect(formatResourceList(maskResources(list, ["cpu", "pods", "storage"]))).toEqual({ cpu: "1", pods: "0" });
    expect(formatResourceList(withoutZeros(list))).toEqual({ cpu: "1", memory: "1" });
  });

  it("exceed existing limits", () => {
    const limits = of({ cpu: "1", pods: "1", memory: "1", storage: "1" });
    expect(exceedingResources(of({ cpu: "1001m", pods: "1", memory: "2", other: "9" }), limits)).toEqual([
      "cpu",
      "memory",
    ]);
  });

  it("print in the order of their names", () => {
    expect(resourcesText(of({ pods: "2", cpu: "1500m" }))).toBe("cpu=1500m,pods=2");
  });

  it.each<[WireResourceList, WireResourceList, boolean]>([
    [{}, {}, true],
    [{ cpu: "1" }, { cpu: "1000m" }, true],
    [{ cpu: "1" }, { cpu: "2" }, false],
    [{ cpu: "1" }, {}, false],
    [{}, { cpu: "1" }, false],
    [{ cpu: "0" }, { pods: "0" }, false],
    [{ cpu: "1", pods: "1" }, { pods: "1", cpu: "1" }, true],
  ])("%j and %j are equal: %s", (a, b, equal) => {
    expect(equalResources(of(a), of(b))).toBe(equal);
  });

  it.each(inherited)("may be named %s", (name) => {
    const list = of(JSON.parse(`{ ${JSON.stringify(name)}: "1" }`));
    expect(Object.keys(addResources({}, list))).toEqual([name]);
    expect(Object.keys(maxResources({}, list))).toEqual([name]);
    expect(exceedingResources({}, list)).toEqual([]);
    expect(equalResources(list, of({ other: "1" }))).toBe(false);
  });
});
