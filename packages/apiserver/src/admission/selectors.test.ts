import type { LabelSelectorSpec } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import type { AdmissionAttributes } from "./admission.ts";
import { namespaceMatches, objectMatches } from "./selectors.ts";
import { attributesOf, labelled } from "./testing/attributes.ts";

const prod: LabelSelectorSpec = { matchLabels: { stage: "prod" } };
const bad: LabelSelectorSpec = { matchExpressions: [{ key: "a", operator: "Near" as never }] };
const namespaces = { resource: { group: "", version: "v1", resource: "namespaces" } };
const stored: Record<string, Record<string, string>> = { live: { stage: "prod" }, test: { stage: "test" } };
const lookup = async (name: string) => (stored[name] ? labelled(stored[name]) : undefined);

/** @see apiserver pkg/admission/plugin/webhook/predicates/namespace matcher_test.go */
describe("the namespace of a request", () => {
  it.each<[string, LabelSelectorSpec | undefined, Partial<AdmissionAttributes>, boolean]>([
    ["is selected by its labels", prod, { namespace: "live" }, true],
    ["is not by others", prod, { namespace: "test" }, false],
    ["is selected by an empty selector", undefined, { namespace: "gone" }, true],
    ["is selected by an empty selector", {}, { namespace: "gone" }, true],
    ["of an object of the cluster is selected", prod, { namespace: "" }, true],
    [
      "of a namespace to be is itself",
      prod,
      { ...namespaces, namespace: "new", object: labelled({ stage: "prod" }) },
      true,
    ],
    ["of a new Namespace has its own labels", prod, { ...namespaces, namespace: "live", object: labelled({}) }, false],
    [
      "of an updated Namespace is the new state",
      prod,
      { ...namespaces, operation: "UPDATE", namespace: "test", object: labelled({ stage: "prod" }) },
      true,
    ],
    [
      "of a deleted Namespace is the stored state",
      prod,
      { ...namespaces, operation: "DELETE", namespace: "live", oldObject: labelled({}) },
      true,
    ],
    [
      "of a Namespace's subresource is the stored state",
      prod,
      { ...namespaces, subresource: "status", operation: "UPDATE", namespace: "live", object: labelled({}) },
      true,
    ],
    [
      "of a namespace without labels is not selected",
      prod,
      { ...namespaces, namespace: "", object: labelled() },
      false,
    ],
  ])("%s", async (_what, namespaceSelector, more, matches) => {
    const selectors = namespaceSelector ? { namespaceSelector } : {};
    expect(await namespaceMatches(selectors, attributesOf(more), lookup)).toBe(matches);
  });

  it("must exist, and the selector must be valid", async () => {
    await expect(
      namespaceMatches({ namespaceSelector: prod }, attributesOf({ namespace: "gone" }), lookup),
    ).rejects.toMatchObject({
      status: { code: 404, message: 'namespaces "gone" not found' },
    });
    await expect(namespaceMatches({ namespaceSelector: bad }, attributesOf(), lookup)).rejects.toMatchObject({
      status: { code: 500 },
    });
  });
});

/** @see apiserver pkg/admission/plugin/webhook/predicates/object matcher_test.go */
it.each<[LabelSelectorSpec | undefined, AdmissionAttributes["object"], AdmissionAttributes["oldObject"], boolean]>([
  [prod, labelled({ stage: "prod" }), undefined, true],
  [prod, labelled({ stage: "test" }), undefined, false],
  [prod, labelled({ stage: "test" }), labelled({ stage: "prod" }), true],
  [prod, undefined, labelled({ stage: "prod" }), true],
  [prod, undefined, undefined, false],
  [prod, labelled(), undefined, false],
  [{ matchExpressions: [{ key: "stage", operator: "DoesNotExist" }] }, undefined, undefined, false],
  [
    { matchExpressions: [{ key: "stage", operator: "DoesNotExist" }] },
    { kind: "PodExecOptions" } as never,
    undefined,
    false,
  ],
  [{}, undefined, undefined, true],
  [undefined, undefined, undefined, true],
])("%j selects the change to %j from %j: %s", (objectSelector, object, oldObject, matches) => {
  expect(objectMatches(objectSelector ? { objectSelector } : {}, attributesOf({ object, oldObject }))).toBe(matches);
});
