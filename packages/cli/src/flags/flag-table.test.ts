import { expect, it } from "vitest";
import { etcdFlags } from "../etcd/flag-table.ts";
import { kubeApiServerFlags } from "../kube-apiserver/flag-table.ts";
import { checkValue } from "./check-value.ts";

it.each([
  ["kube-apiserver", kubeApiServerFlags, 177],
  ["etcd", etcdFlags, 138],
])("each flag of %s has a known type and a valid default", (_program, table, size) => {
  expect(table.size).toBe(size);
  for (const spec of table.values())
    expect({ name: spec.name, wrong: spec.default && checkValue(spec, spec.default) }).toEqual({
      name: spec.name,
      wrong: undefined,
    });
});
