import { expect, it } from "vitest";
import { flagsWithoutEffect, kubeApiServerFlags } from "../kube-apiserver/flag-table.ts";
import { checkValue } from "./check-value.ts";

it("each flag of kube-apiserver with an effect has a known type and a valid default, and the others have a name", () => {
  expect(new Set([...kubeApiServerFlags.keys(), ...flagsWithoutEffect.keys()]).size).toBe(177);
  expect(kubeApiServerFlags.size).toBe(71);
  for (const spec of kubeApiServerFlags.values())
    expect({ name: spec.name, wrong: spec.default && checkValue(spec, spec.default) }).toEqual({
      name: spec.name,
      wrong: undefined,
    });
});
