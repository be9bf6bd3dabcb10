import { describe, expect, it } from "vitest";
import { attributesOf, labelled } from "../testing/attributes.ts";
import { reviewOf, verifiedResponse } from "./admission-review.ts";

const v1 = { uid: "7", apiVersion: "admission.k8s.io/v1", body: "" };
const read = (response: unknown, mutating = true, review = v1) =>
  verifiedResponse({ apiVersion: review.apiVersion, kind: "AdmissionReview", response }, review, mutating);
const patch = Buffer.from("[]").toString("base64");

describe("a request to a webhook", () => {
  const asked = (admissionReviewVersions: readonly string[]) => {
    const webhook = { name: "w", clientConfig: {}, admissionReviewVersions };
    const invocation = {
      hook: { webhook, configuration: "c", id: "c/w/0" },
      resource: attributesOf().resource,
      kind: { group: "x.io", version: "v1", kind: "Any" },
    };
    return reviewOf(
      invocation,
      attributesOf({ dryRun: true }),
      { object: labelled({ a: "b" }), oldObject: undefined },
      "u1",
    );
  };

  it.each([
    [["v1"], "v1"],
    [["v2", "v1beta1", "v1"], "v1beta1"],
    [["v2"], "v1"],
  ])("to a hook that supports %j has version %s", (versions, version) => {
    const { uid, apiVersion, body } = asked(versions);
    expect(apiVersion).toBe(`admission.k8s.io/${version}`);
    expect(JSON.parse(body)).toMatchObject({
      kind: "AdmissionReview",
      apiVersion,
      request: {
        uid,
        name: "web",
        operation: "CREATE",
        object: labelled({ a: "b" }),
        oldObject: null,
        dryRun: true,
        options: null,
      },
    });
  });
});

/** @see apiserver pkg/admission/plugin/webhook/request admissionreview_test.go TestVerifyAdmissionResponse */
describe("the answer of a webhook", () => {
  it("may allow or deny, with all its members", () => {
    expect(read({ uid: "7", allowed: true })).toMatchObject({
      allowed: true,
      status: undefined,
      patch: "",
      patchType: "",
      warnings: [],
      auditAnnotations: {},
    });
    const sent = {
      uid: "7",
      allowed: false,
      status: { message: "no", code: 403 },
      warnings: ["w"],
      auditAnnotations: { a: "b" },
    };
    expect(read(sent, false)).toMatchObject({
      allowed: false,
      status: sent.status,
      warnings: ["w"],
      auditAnnotations: { a: "b" },
    });
  });

  it.each([{}, { allowed: null }, { allowed: false }])("does not allow unless it says so: %j", (sent) => {
    expect(read({ uid: "7", ...sent }).allowed).toBe(false);
    const v1beta1 = { ...v1, apiVersion: "admission.k8s.io/v1beta1" };
    expect(read(sent, false, v1beta1)).toMatchObject({ allowed: false, uid: "" });
  });

  it("may carry a patch, as text or as bytes", () => {
    expect(read({ uid: "7", allowed: true, patchType: "JSONPatch", patch })).toMatchObject({
      patch: "[]",
      patchType: "JSONPatch",
    });
    expect(read({ uid: "7", allowed: true, patchType: "JSONPatch", patch: [91, 93] })).toMatchObject({ patch: "[]" });
  });

  it("of v1beta1 may omit type, UID and patch type", () => {
    const v1beta1 = { ...v1, apiVersion: "admission.k8s.io/v1beta1" };
    expect(read({ allowed: true, patch }, true, v1beta1)).toMatchObject({ patch: "[]", patchType: "JSONPatch" });
    expect(read({ allowed: true, patch }, false, v1beta1)).toMatchObject({ patch: "" });
  });

  it.each<[string, unknown, boolean, string]>([
    ["absent", undefined, true, "webhook response was absent"],
    ["null", null, true, "webhook response was absent"],
    ["a text", "yes", true, "response: expected object, got string"],
    ["of another question", { uid: "8", allowed: true }, true, 'expected response.uid="7"'],
    ["allowing in words", { uid: "7", allowed: "true" }, true, "response.allowed: expected boolean, got string"],
    ["of a number for a question", { uid: 7 }, true, "response.uid: expected string, got number"],
    ["warning by a text", { uid: "7", warnings: "w" }, true, "response.warnings: expected array, got string"],
    ["warning of numbers", { uid: "7", warnings: [7] }, true, "response.warnings: expected string, got number"],
    [
      "noting numbers",
      { uid: "7", auditAnnotations: { a: 7 } },
      true,
      "response.auditAnnotations: expected string, got number",
    ],
    ["of a status in words", { uid: "7", status: "no" }, true, "response.status: expected object, got string"],
    [
      "of a status with a code in words",
      { uid: "7", status: { code: "403" } },
      true,
      "response.status.code: expected number, got string",
    ],
    [
      "of a status with a list of details",
      { uid: "7", status: { details: [] } },
      true,
      "response.status.details: expected object, got array",
    ],
    ["with invalid bytes", { uid: "7", patch: [256] }, true, "response.patch: expected uint8, got number"],
    ["with bytes below none", { uid: "7", patch: [-1] }, true, "response.patch: expected uint8, got number"],
    ["with a patch that is not base64", { uid: "7", patch: "!" }, true, "illegal base64"],
    [
      "with a patch of no type",
      { uid: "7", patch },
      true,
      "webhook returned response.patch but not response.patchType",
    ],
    [
      "with a type of no patch",
      { uid: "7", patchType: "JSONPatch" },
      true,
      "webhook returned response.patchType but not response.patch",
    ],
    [
      "with a patch of an empty type",
      { uid: "7", patch, patchType: "" },
      true,
      'webhook returned invalid response.patchType of ""',
    ],
    [
      "with a patch, of one that only validates",
      { uid: "7", patch },
      false,
      "validating webhook may not return response.patch",
    ],
    [
      "with a patch's type, of one that only validates",
      { uid: "7", patchType: "JSONPatch" },
      false,
      "validating webhook may not return response.patchType",
    ],
  ])("is refused %s", (_what, response, mutating, message) => {
    expect(() => read(response, mutating)).toThrow(message);
  });
});
