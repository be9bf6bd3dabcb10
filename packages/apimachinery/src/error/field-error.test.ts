import { describe, expect, it } from "vitest";
import { aggregateFieldErrors, fieldError, fieldErrorMessage, fieldPath, toAggregateInvalid } from "./field-error.ts";

const at = fieldPath("spec", "items").index(0).child("name");

describe("a field error", () => {
  it.each([
    [fieldError.required(at), "spec.items[0].name: Required value"],
    [fieldError.required(at, "say why"), "spec.items[0].name: Required value: say why"],
    [fieldError.invalid(at, 'a"b', "no"), 'spec.items[0].name: Invalid value: "a\\"b": no'],
    [fieldError.invalid(at, -1.5, "no"), "spec.items[0].name: Invalid value: -1.5: no"],
    [fieldError.invalid(at, 9007199254740993n, "no"), "spec.items[0].name: Invalid value: 9007199254740993: no"],
    [fieldError.invalid(at, { a: ["c"] }, "no"), 'spec.items[0].name: Invalid value: {"a":["c"]}: no'],
    [
      fieldError.invalid(at, { a: "<&>" }, "no"),
      'spec.items[0].name: Invalid value: {"a":"\\u003c\\u0026\\u003e"}: no',
    ],
    [fieldError.invalid(at, null, "no"), "spec.items[0].name: Invalid value: null: no"],
    [
      fieldError.notSupported(at, "x", ["a", "b"]),
      'spec.items[0].name: Unsupported value: "x": supported values: "a", "b"',
    ],
    [fieldError.duplicate(at, "x"), 'spec.items[0].name: Duplicate value: "x"'],
    [fieldError.forbidden(at, "no"), "spec.items[0].name: Forbidden: no"],
    [fieldError.tooLong(at, 5), "spec.items[0].name: Too long: may not be more than 5 bytes"],
    [fieldError.tooMany(at, 2, 1), "spec.items[0].name: Too many: 2: must have at most 1 item"],
    [fieldError.notFound(at, "x"), 'spec.items[0].name: Not found: "x"'],
    [fieldError.internal(at, new Error("oops")), "spec.items[0].name: Internal error: oops"],
  ])("prints as %o", (error, message) => {
    expect(fieldErrorMessage(error)).toBe(message);
  });

  it("shows paths with map keys and list positions", () => {
    expect(fieldPath("data").key("a/b").toString()).toBe("data[a/b]");
    expect(String(fieldPath())).toBe("<nil>");
  });
});

describe("errors together", () => {
  it("are listed in brackets without duplicates", () => {
    const a = fieldError.required("a");
    expect(aggregateFieldErrors([])).toBe("");
    expect(aggregateFieldErrors([a, a])).toBe("a: Required value");
    expect(aggregateFieldErrors([a, fieldError.duplicate("b", 1)])).toBe("[a: Required value, b: Duplicate value: 1]");
  });

  it("result in a 422 error with one cause for each, including duplicates", () => {
    const a = fieldError.required("a");
    const error = toAggregateInvalid({ group: "apps", kind: "Deployment" }, "x", [a, a]);
    expect(error.status).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'Deployment.apps "x" is invalid: a: Required value',
      reason: "Invalid",
      details: {
        name: "x",
        group: "apps",
        kind: "Deployment",
        causes: [
          { reason: "FieldValueRequired", message: "Required value", field: "a" },
          { reason: "FieldValueRequired", message: "Required value", field: "a" },
        ],
      },
      code: 422,
    });
    expect(toAggregateInvalid({ group: "authorization.k8s.io", kind: "" }, "", []).message).toBe(
      '.authorization.k8s.io "" is invalid',
    );
  });
});

it("lists the first errors and the number of remaining ones", () => {
  const errors = (count: number, value = "x") =>
    Array.from({ length: count }, (_, i) => fieldError.invalid(`spec.a[${i}]`, value, "no"));
  const status = toAggregateInvalid({ group: "", kind: "K" }, "n", errors(1_001)).status;
  expect(status.details?.causes).toHaveLength(1_000);
  expect(status.message).toMatch(/spec\.a\[999\]: Invalid value: "x": no, and 1 more errors\]$/);
  expect(aggregateFieldErrors(errors(1_000))).not.toContain("more errors");
  expect(aggregateFieldErrors(errors(100, "x".repeat(100_000))).length).toBeLessThan(400_000);
  expect(aggregateFieldErrors(errors(1, "x".repeat(100_000)))).toHaveLength(
    'spec.a[0]: Invalid value: "": no'.length + 65_537,
  );
});
