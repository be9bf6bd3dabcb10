import { type FieldError, fieldPath } from "@kubewright/apimachinery";
import { convertScalar, decodeScalar } from "@kubewright/codec";
import { describe, expect, it } from "vitest";
import { validateEvent } from "./core/event/event-validation.ts";
import { validatePodSpec } from "./pod/pod-validation.ts";
import { deviceSelectorErrors } from "./resource/device-claim.ts";
import { fullyQualifiedNameErrors } from "./resource/qualified-name.ts";

const at = fieldPath("spec");
const shown = (errors: readonly FieldError[]): string[] => errors.map(({ type, field }) => `${field} ${type}`);
const container = { name: "c", image: "i", imagePullPolicy: "Always", terminationMessagePolicy: "File" };
const pod = (more: object): string[] =>
  shown(validatePodSpec({ containers: [container], restartPolicy: "Always", dnsPolicy: "ClusterFirst", ...more }, at));

it("parses quantities and converts numbers as Go does", () => {
  expect(decodeScalar("-", "Quantity")).toBe("0");
  expect(() => decodeScalar("1Gi-", "Quantity")).toThrow("unable to parse quantity's suffix");
  expect(convertScalar(2 ** 31, "int32")).toBe(-(2 ** 31));
  expect(convertScalar(2 ** 53, "int32")).toBe(0);
});

describe("a pod's spec", () => {
  it.each([[{ volumes: [{ name: "v", downwardAPI: { items: [{}] } }] }, ["path", ""], "spec.volumes[0].downwardAPI"]])(
    "names volume files with missing members",
    (more, ends, start) => {
      expect(pod(more)).toEqual(ends.map((end) => `${start}${end ? `.${end}` : ""} FieldValueRequired`));
    },
  );

  it.each<[object, string]>([
    [{ hostAliases: [{ ip: "x" }] }, "spec.hostAliases[0].ip FieldValueInvalid"],
    [{ dnsPolicy: "None", dnsConfig: {} }, "spec.dnsConfig.nameservers FieldValueRequired"],
    [{ schedulingGates: [{ name: "-" }] }, "spec.schedulingGates[0] FieldValueInvalid"],
    [{ securityContext: { seccompProfile: {} } }, "spec.securityContext.seccompProfile.type FieldValueRequired"],
    [
      { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } } },
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms FieldValueRequired",
    ],
    [{ containers: [{ ...container, envFrom: [{}] }] }, "spec.containers[0].envFrom FieldValueInvalid"],
    [
      { containers: [{ ...container, lifecycle: { preStop: { exec: {} } } }] },
      "spec.containers[0].lifecycle.preStop.exec.command FieldValueRequired",
    ],
  ])("is rejected: %j", (more, error) => {
    expect(pod(more)).toEqual([error]);
  });
});

it("compiles device selectors", () => {
  const problems = (expression: string): string[] =>
    deviceSelectorErrors([{ cel: { expression } }], at).map(({ detail }) => detail);
  expect(problems("device.driver == 'd.example.com'")).toEqual([]);
  expect(problems("80")).toEqual(["must evaluate to bool or the unknown type, not int"]);
  expect(problems("a.b")[0]).toContain("undeclared reference to 'a'");
  expect(problems("")[0]).toContain("ERROR: <input>:1:0: Syntax error");
});

it("requires a domain in attribute names", () => {
  expect(fullyQualifiedNameErrors("d.example.com/a", at)).toEqual([]);
  expect(fullyQualifiedNameErrors("a", at).map(({ detail }) => detail)).toEqual([
    "a fully qualified name must be a domain and a name separated by a slash",
  ]);
});

it.each<[string, string[]]>([
  ["n".repeat(1_024), []],
  ["n".repeat(1_025), ["message FieldValueInvalid"]],
  ["é".repeat(512), []],
  ["é".repeat(513), ["message FieldValueInvalid"]],
])("measures the note of an event in bytes (%#)", (note, expected) => {
  const event = {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: "e", namespace: "default" },
    eventTime: "2026-01-01T00:00:00.000000Z",
    reportingController: "x",
    reportingInstance: "x",
    action: "A",
    reason: "R",
    type: "Normal",
    regarding: { kind: "Pod", name: "p", namespace: "default" },
    note,
  };
  expect(shown(validateEvent(event))).toEqual(expected);
});
