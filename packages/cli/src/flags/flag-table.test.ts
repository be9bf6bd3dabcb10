import { expect, it } from "vitest";
import { kubeApiServerFlags } from "../kube-apiserver/flag-table.ts";
import { checkValue } from "./check-value.ts";

it("each flag of kube-apiserver has a known type and a valid default", () => {
  expect(kubeApiServerFlags.size).toBe(177);
  for (const spec of kubeApiServerFlags.values())
    expect({ name: spec.name, wrong: spec.default && checkValue(spec, spec.default) }).toEqual({
      name: spec.name,
      wrong: undefined,
    });
});
