import type { AdmissionAttributes, AdmissionOperation } from "@kubewright/apiserver/admission";
import { describe, expect, it } from "vitest";
import { priority } from "./priority.ts";

const priorityClass = (name: string, value: number, more: object = {}) => ({
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name },
  value,
  preemptionPolicy: "PreemptLowerPriority",
  ...more,
});
const high = priorityClass("high", 1_000);
const polite = priorityClass("polite", 5, { preemptionPolicy: "Never" });
const usual = priorityClass("usual", 10, { globalDefault: true });
const resources = {
  pods: { group: "", version: "v1", resource: "pods" },
  priorityclasses: { group: "scheduling.k8s.io", version: "v1", resource: "priorityclasses" },
};
const attributesOf = (
  operation: AdmissionOperation,
  object: object,
  more: Partial<AdmissionAttributes> = {},
): AdmissionAttributes => ({
  operation,
  resource: resources.pods,
  subresource: "",
  kind: { group: "", version: "v1", kind: "Pod" },
  namespace: "default",
  name: "web",
  object: { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, ...object },
  oldObject: undefined,
  options: {},
  dryRun: false,
  user: { name: "jane", groups: [] },
  warn() {},
  ...more,
});

async function admitted(
  spec: object,
  classes: readonly object[],
  operation: AdmissionOperation = "CREATE",
  more: Partial<AdmissionAttributes> = {},
) {
  const attributes = attributesOf(operation, { spec }, more);
  await priority(async () => classes as never).admit?.(attributes, undefined as never);
  return attributes.object?.spec;
}
const resolved = (priorityClassName: string | undefined, value: number, preemptionPolicy = "PreemptLowerPriority") => ({
  ...(priorityClassName === undefined ? {} : { priorityClassName }),
  priority: value,
  preemptionPolicy,
});

/** @see kubernetes plugin/pkg/admission/priority admission_test.go TestPodAdmission */
describe("a pod gets the number of its priority class", () => {
  it.each<[string, object, readonly object[], object]>([
    ["that it names", { priorityClassName: "high" }, [usual, high], resolved("high", 1_000)],
    ["that is the default", {}, [high, usual], resolved("usual", 10)],
    ["of the default, if its class is empty", { priorityClassName: "" }, [usual], resolved("usual", 10)],
    [
      "that is the least of several defaults",
      {},
      [usual, priorityClass("least", 3, { globalDefault: true }), priorityClass("b", 7, { globalDefault: true })],
      resolved("least", 3),
    ],
    ["or none without a default", {}, [high], resolved(undefined, 0)],
    ["with its preemption policy", { priorityClassName: "polite" }, [polite], resolved("polite", 5, "Never")],
    ["even if it has the same already", resolved("polite", 5, "Never"), [polite], resolved("polite", 5, "Never")],
    ["also of nothing", { priority: 0, preemptionPolicy: "PreemptLowerPriority" }, [], resolved(undefined, 0)],
  ])("%s", async (_what, spec, classes, expected) => {
    expect(await admitted(spec, classes)).toStrictEqual(expected);
  });
});

describe("a pod is rejected", () => {
  it.each<[string, object, readonly object[], string]>([
    ["whose class is missing", { priorityClassName: "gone" }, [usual], "no PriorityClass with name gone was found"],
    [
      "that names another number",
      { priorityClassName: "polite", priority: 1_000_000 },
      [polite],
      "the integer value of priority (1000000) must not be provided in pod spec; priority admission controller computed 5 from the given PriorityClass name",
    ],
    [
      "that names a number without a class",
      { priority: 1 },
      [],
      "the integer value of priority (1) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name",
    ],
    [
      "that preempts but its class does not",
      { priorityClassName: "polite", preemptionPolicy: "PreemptLowerPriority" },
      [polite],
      "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name",
    ],
  ])("%s", async (_what, spec, classes, message) => {
    await expect(admitted(spec, classes)).rejects.toMatchObject({
      status: { code: 403, message: `pods "web" is forbidden: ${message}` },
    });
  });
});

describe("an updated pod", () => {
  const old = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec: resolved("high", 1_000, "Never") };
  it("keeps omitted values", async () => {
    expect(await admitted({}, [], "UPDATE", { oldObject: old })).toStrictEqual({
      priority: 1_000,
      preemptionPolicy: "Never",
    });
  });

  it("may have other values, which validation rejects", async () => {
    const spec = { priority: 1, preemptionPolicy: "PreemptLowerPriority" };
    expect(await admitted(spec, [], "UPDATE", { oldObject: old })).toStrictEqual(spec);
    expect(await admitted({}, [], "UPDATE", { oldObject: { ...old, spec: {} } })).toStrictEqual({});
  });
});

it("handles only writes of pods and classes", async () => {
  expect(await admitted({}, [usual], "CREATE", { subresource: "status" })).toStrictEqual({});
  expect(
    await admitted({}, [usual], "CREATE", { resource: { group: "example.com", version: "v1", resource: "pods" } }),
  ).toStrictEqual({});
  const plugin = priority(async () => []);
  expect((["CREATE", "UPDATE", "DELETE", "CONNECT"] as const).filter((one) => plugin.handles(one))).toEqual([
    "CREATE",
    "UPDATE",
  ]);
});

/** @see kubernetes plugin/pkg/admission/priority admission_test.go TestPriorityClassAdmission */
describe("there is one default class", () => {
  const validate = async (
    operation: AdmissionOperation,
    name: string,
    globalDefault: boolean,
    classes: readonly object[],
    subresource = "",
  ) =>
    priority(async () => classes as never).validate?.(
      attributesOf(operation, priorityClass(name, 1, { globalDefault }), {
        resource: resources.priorityclasses,
        name,
        subresource,
      }),
    );
  const refusal = {
    status: {
      code: 403,
      message: expect.stringContaining("PriorityClass usual is already marked as default. Only one default can exist"),
    },
  };

  it.each<[AdmissionOperation, string, boolean, readonly object[], boolean]>([
    ["CREATE", "other", true, [usual], false],
    ["CREATE", "other", true, [high], true],
    ["CREATE", "other", false, [usual], true],
    ["UPDATE", "other", true, [usual], false],
    ["UPDATE", "usual", true, [usual], true],
  ])("%s of %s as the default (%s) with %j: %s", async (operation, name, isDefault, classes, allowed) => {
    if (allowed) await expect(validate(operation, name, isDefault, classes)).resolves.toBeUndefined();
    else await expect(validate(operation, name, isDefault, classes)).rejects.toMatchObject(refusal);
  });

  it("for any operation on subresources", async () => {
    await expect(validate("UPDATE", "other", true, [usual], "status")).resolves.toBeUndefined();
  });
});
