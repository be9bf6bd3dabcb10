import { describe, expect, it } from "vitest";
import { dryRunUnsupported, rejection, WebhookFailure } from "./call-errors.ts";

/** @see apiserver pkg/admission/plugin/webhook/errors statuserror_test.go */
describe("a webhook's rejection", () => {
  const denied = 'admission webhook "w" denied the request';
  it.each<[object | undefined, object]>([
    [undefined, { message: `${denied} without explanation`, code: 400 }],
    [
      { message: "", reason: "" },
      { message: `${denied} without explanation`, code: 400 },
    ],
    [{ message: "no" }, { message: `${denied}: no`, code: 400 }],
    [{ reason: "NotAllowed" }, { message: `${denied}: NotAllowed`, reason: "NotAllowed", code: 400 }],
    [
      { message: "no", reason: "NotAllowed", code: 403 },
      { message: `${denied}: no`, reason: "NotAllowed", code: 403 },
    ],
    [{ code: 399 }, { message: `${denied} without explanation`, code: 400 }],
    [{ code: 401 }, { message: `${denied} without explanation`, code: 401 }],
    [{ code: "403" }, { message: `${denied} without explanation`, code: 400 }],
    [
      {
        details: {
          name: "n",
          group: "g",
          kind: "k",
          uid: "u",
          causes: [{ reason: "r", message: "m", field: "f", more: 1 }, "text", { reason: "", message: 7 }],
          retryAfterSeconds: 3,
        },
      },
      {
        message: `${denied} without explanation`,
        details: {
          name: "n",
          group: "g",
          kind: "k",
          uid: "u",
          causes: [{ reason: "r", message: "m", field: "f" }, {}],
          retryAfterSeconds: 3,
        },
        code: 400,
      },
    ],
    [
      { details: { name: "", causes: [], retryAfterSeconds: 0 } },
      { message: `${denied} without explanation`, details: {}, code: 400 },
    ],
  ])("%j", (response, status) => {
    expect(rejection("w", { ...response }).status).toStrictEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      ...status,
    });
  });
});

it("names the webhook that failed, or does not support dry runs", () => {
  expect(new WebhookFailure("w", "timed out").message).toBe('failed calling webhook "w": timed out');
  expect(dryRunUnsupported("w").status).toMatchObject({
    code: 400,
    message: 'admission webhook "w" does not support dry run',
  });
});
