import type { KubeObject } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { formatResourceList } from "../kinds/resource-list.ts";
import { claimEvaluator } from "./claim-evaluator.ts";

const claim = (spec: object, status: object = {}, annotations: Record<string, string> = {}): KubeObject => {
  const object = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "c", annotations },
    spec,
    status,
  };
  return object;
};
const asks = (storage: string) => ({ resources: { requests: { storage } } });
const usage = (...of: Parameters<typeof claim>) => formatResourceList(claimEvaluator.usage(claim(...of), 0));
const counted = { "count/persistentvolumeclaims": "1", persistentvolumeclaims: "1" };
const ofClass = (name: string, storage: string) => ({
  [`${name}.storageclass.storage.k8s.io/persistentvolumeclaims`]: "1",
  [`${name}.storageclass.storage.k8s.io/requests.storage`]: storage,
});
const beta = "volume.beta.kubernetes.io/storage-class";

/** @see pkg/quota/v1/evaluator/core persistent_volume_claims_test.go TestPersistentVolumeClaimEvaluatorUsage */
describe("a claim uses", () => {
  it.each<[string, Parameters<typeof claim>, Record<string, string>]>([
    ["its place", [{}], counted],
    ["the storage it asks for", [asks("10Gi")], { ...counted, "requests.storage": "10Gi" }],
    ["whole bytes", [asks("1500m")], { ...counted, "requests.storage": "2" }],
    [
      "of its class",
      [{ ...asks("1Gi"), storageClassName: "gold" }],
      { ...counted, "requests.storage": "1Gi", ...ofClass("gold", "1Gi") },
    ],
    [
      "of the class in its annotation",
      [{ ...asks("1Gi"), storageClassName: "gold" }, {}, { [beta]: "tin" }],
      { ...counted, "requests.storage": "1Gi", ...ofClass("tin", "1Gi") },
    ],
    ["of no class, if the annotation is empty", [{ storageClassName: "gold" }, {}, { [beta]: "" }], counted],
    [
      "its place in a class",
      [{ storageClassName: "gold" }],
      { ...counted, "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1" },
    ],
    [
      "its capacity, if that is more",
      [asks("1Gi"), { allocatedResources: { storage: "2Gi" } }],
      { ...counted, "requests.storage": "2Gi" },
    ],
    [
      "its capacity in whole bytes",
      [asks("1"), { allocatedResources: { storage: "1001m" } }],
      { ...counted, "requests.storage": "2" },
    ],
    [
      "its request, if the capacity is less",
      [asks("2Gi"), { allocatedResources: { storage: "1Gi" } }],
      { ...counted, "requests.storage": "2Gi" },
    ],
    ["nothing that it was given and did not ask for", [{}, { allocatedResources: { storage: "1Gi" } }], counted],
  ])("%s", (_what, of, expected) => {
    expect(usage(...of)).toEqual(expected);
  });
});

it("counts for quotas on claims, their storage, or either of a class", () => {
  const names = [
    "count/persistentvolumeclaims",
    "persistentvolumeclaims",
    "requests.storage",
    "gold.storageclass.storage.k8s.io/persistentvolumeclaims",
    "gold.storageclass.storage.k8s.io/requests.storage",
  ];
  const others = ["count/pods", "pods", "storage", "gold.storageclass.storage.k8s.io/pods", "requests.storage.gold"];
  expect(claimEvaluator.matchingResources([...names, ...others])).toEqual(names);
  expect(claimEvaluator.constraint(names, claim({}))).toBeUndefined();
});

describe("a write may change the count", () => {
  const given = (storage?: string) => claim({}, storage ? { allocatedResources: { storage } } : {});
  const named = (spec?: string, current?: string, target?: string) =>
    claim(
      { ...(spec === undefined ? {} : { volumeAttributesClassName: spec }) },
      {
        ...(current ? { currentVolumeAttributesClassName: current } : {}),
        ...(target ? { modifyVolumeStatus: { targetVolumeAttributesClassName: target } } : {}),
      },
    );
  const object = claim({});
  it.each<[string, string, KubeObject | undefined, KubeObject | undefined, boolean]>([
    ["CREATE", "", object, undefined, true],
    ["UPDATE", "", object, object, true],
    ["DELETE", "", undefined, object, false],
    ["UPDATE", "finalize", given("1Gi"), given(), false],
    ["UPDATE", "status", object, object, false],
    ["UPDATE", "status", given("1Gi"), given("1Gi"), false],
    ["UPDATE", "status", given("2Gi"), given("1Gi"), true],
    ["UPDATE", "status", given("1Gi"), given(), true],
    ["UPDATE", "status", given("1Gi"), undefined, false],
    ["UPDATE", "status", undefined, given("1Gi"), false],
    ["UPDATE", "status", named("gold"), named("gold"), false],
    ["UPDATE", "status", named("gold", "gold"), named("gold"), false],
    ["UPDATE", "status", named("gold", "tin"), named("tin", "gold"), false],
    ["UPDATE", "status", named("gold", "tin"), named("gold"), true],
    ["UPDATE", "status", named("gold", "gold", "zinc"), named("gold"), true],
  ])("%s %s (%#)", (operation, subresource, now, before, handled) => {
    expect(claimEvaluator.handles({ operation, subresource, object: now, oldObject: before })).toBe(handled);
  });
});

/** @see pkg/quota/v1/evaluator/core persistent_volume_claims_test.go TestPersistentVolumeClaimEvaluatorMatchingScopes */
describe("the scope of its attributes class contains", () => {
  const scopeName = "VolumeAttributesClass";
  const gold = claim({ volumeAttributesClassName: "gold" });
  const moving = claim({ volumeAttributesClassName: "gold" }, { currentVolumeAttributesClassName: "tin" });
  const none = claim({ volumeAttributesClassName: "" });
  it.each<[string, readonly string[] | undefined, KubeObject, boolean]>([
    ["Exists", undefined, gold, true],
    ["Exists", undefined, none, false],
    ["DoesNotExist", undefined, gold, false],
    ["DoesNotExist", undefined, none, true],
    ["In", ["gold"], gold, true],
    ["In", ["tin"], gold, false],
    ["In", ["tin"], moving, true],
    ["In", ["gold"], none, false],
    ["NotIn", ["gold"], gold, false],
    ["NotIn", ["gold"], moving, true],
    ["NotIn", ["gold"], none, true],
    ["Near", ["gold"], gold, false],
  ])("%s %j (%#)", (operator, values, object, inScope) => {
    const scope = { scopeName, operator, ...(values ? { values: [...values] } : {}) };
    expect(claimEvaluator.isInScope(scope, object)).toBe(inScope);
    expect(claimEvaluator.isInScope({ ...scope, scopeName: "PriorityClass" }, object)).toBe(false);
  });
});
