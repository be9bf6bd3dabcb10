import { expect, it } from "vitest";
import * as api from "./index.ts";
import * as local from "./local/index.ts";

it("exports these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "DecodeError",
    "WebhookServer",
    "admission",
    "admissionHandler",
    "allowed",
    "authenticated",
    "conversion",
    "csrCertificates",
    "decode",
    "decodeRaw",
    "denied",
    "directoryCertificates",
    "errored",
    "invalid",
    "isDecodeError",
    "multiMutatingHandler",
    "multiValidatingHandler",
    "patchResponseFromRaw",
    "patched",
    "refused",
    "reviewResponse",
    "secretCertificates",
    "tokenErrored",
    "tokenReviewHandler",
    "unauthenticated",
    "validationResponse",
    "withWarnings",
  ]);
});

it("exports these names under ./local", () => {
  expect(Object.keys(local).sort()).toEqual([
    "LocalSession",
    "findLocalHost",
    "isStaleSession",
    "localCertificates",
    "probeLocal",
    "sessionEndsInMs",
    "sessionLabel",
  ]);
});
