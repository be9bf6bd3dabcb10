import { fieldErrorMessage } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { scaleSpecErrors, scaleStatusErrors } from "./scale-values.ts";

const scale = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
};

it.each([
  [{}, []],
  [{ spec: { replicas: 3 } }, []],
  [{ spec: { replicas: -1 } }, [".spec.replicas: Invalid value: -1: should be a non-negative integer"]],
  [
    { spec: { replicas: 2 ** 31 } },
    [".spec.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647"],
  ],
  [
    { spec: { replicas: "x" } },
    [".spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected int64"],
  ],
])("checks the wanted replicas of %j", (object, messages) => {
  expect(scaleSpecErrors(object, scale).map(fieldErrorMessage)).toEqual(messages);
});

it("checks the selector beside the replicas there are", () => {
  const object = { status: { replicas: -1, selector: true } };
  expect(scaleStatusErrors(object, scale).map(fieldErrorMessage)).toEqual([
    ".status.replicas: Invalid value: -1: should be a non-negative integer",
    '.status.selector: Invalid value: "": .status.selector accessor error: true is of the type bool, expected string',
  ]);
});
