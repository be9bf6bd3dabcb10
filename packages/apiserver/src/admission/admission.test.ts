import { describe, expect, it } from "vitest";
import {
  type AdmissionAttributes,
  AdmissionChain,
  type AdmissionOperation,
  type AdmissionPlugin,
} from "./admission.ts";
import type { Reinvocation } from "./reinvocation.ts";

const deployments = { group: "apps", version: "v1", resource: "deployments" };
const pods = { group: "", version: "v1", resource: "pods" };

const attributes = (operation: AdmissionOperation, resource = pods): AdmissionAttributes => ({
  operation,
  resource,
  subresource: "",
  kind: { group: resource.group, version: "v1", kind: "Thing" },
  namespace: "n",
  name: "a",
  object: undefined,
  oldObject: undefined,
  options: {},
  dryRun: false,
  user: { name: "jane", groups: [] },
  warn() {},
});

/** Builds a chain of plugins that record their calls. */
function chain(
  ...plugins: readonly (Partial<AdmissionPlugin> & { readonly name: string; readonly waits?: boolean })[]
) {
  const calls: string[] = [];
  const noting = plugins.map(({ waits = false, ...plugin }): AdmissionPlugin => {
    const note = (what: string) => {
      if (!waits) return void calls.push(`${plugin.name} ${what}`);
      return new Promise<void>((resolve) => setImmediate(resolve)).then(
        () => void calls.push(`${plugin.name} ${what}`),
      );
    };
    return { handles: () => true, admit: () => note("admits"), validate: () => note("validates"), ...plugin };
  });
  return { chain: new AdmissionChain(noting), calls };
}

describe("AdmissionChain", () => {
  it("calls one plugin after another, asynchronous ones too", async () => {
    const { chain: both, calls } = chain({ name: "slow", waits: true }, { name: "fast" });
    await both.admit(attributes("CREATE"));
    await both.validate(attributes("CREATE"));
    expect(calls).toEqual(["slow admits", "fast admits", "slow validates", "fast validates"]);
  });

  it.each<[string, Partial<AdmissionPlugin>, AdmissionOperation, typeof pods, boolean]>([
    ["of any kind", {}, "DELETE", deployments, true],
    ["of its kind", { resources: ["pods"] }, "CREATE", pods, true],
    ["of its kind and group", { resources: ["deployments.apps"] }, "CREATE", deployments, true],
    ["of its kind in another group", { resources: ["deployments"] }, "CREATE", deployments, false],
    ["of another kind", { resources: ["pods"] }, "CREATE", deployments, false],
    [
      "of its kind, with an operation it does not handle",
      { resources: ["pods"], handles: () => false },
      "CREATE",
      pods,
      false,
    ],
    ["with an operation it handles", { handles: (operation) => operation === "UPDATE" }, "UPDATE", pods, true],
    ["with an operation it does not handle", { handles: (operation) => operation === "UPDATE" }, "CREATE", pods, false],
  ])("calls a plugin about a request %s, or not", async (_what, plugin, operation, resource, isAsked) => {
    const { chain: one, calls } = chain({ name: "p", ...plugin });
    for (let i = 0; i < 2; i++) {
      await one.admit(attributes(operation, resource));
      await one.validate(attributes(operation, resource));
    }
    expect(calls).toEqual(isAsked ? ["p admits", "p validates", "p admits", "p validates"] : []);
  });

  it("skips plugins without a handler for a step", async () => {
    const mute: AdmissionPlugin = { name: "mute", handles: () => true };
    const one = new AdmissionChain([mute]);
    await one.admit(attributes("CREATE"));
    await one.validate(attributes("CREATE"));
  });

  it("asks once whether a plugin handles an operation", async () => {
    let asked = 0;
    const { chain: one } = chain({ name: "p", handles: () => ++asked > 0 });
    for (const operation of ["CREATE", "CREATE", "UPDATE"] as const) {
      await one.admit(attributes(operation));
      await one.validate(attributes(operation));
    }
    expect(asked).toBe(2);
  });

  it.each(["admit", "validate"] as const)("stops at the first that refuses to %s", async (step) => {
    const refuse = (): never => {
      throw new Error("no");
    };
    const late = async (): Promise<never> => refuse();
    for (const refusing of [refuse, late]) {
      const { chain: three, calls } = chain({ name: "a" }, { name: "b", [step]: refusing }, { name: "c" });
      await expect(three[step](attributes("CREATE"))).rejects.toThrow("no");
      expect(calls).toEqual([`a ${step}s`]);
    }
  });

  it("runs all plugins again if one requests it", async () => {
    const passes: boolean[] = [];
    const admit = (_attributes: AdmissionAttributes, reinvocation: Reinvocation): void => {
      passes.push(reinvocation.isSecondPass);
      reinvocation.want();
    };
    const { chain: two, calls } = chain({ name: "a", waits: true }, { name: "b", admit });
    await two.admit(attributes("CREATE"));
    expect(calls).toEqual(["a admits", "a admits"]);
    expect(passes).toEqual([false, true]);
  });
});
