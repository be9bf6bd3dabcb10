import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "AdmissionBuilder",
    "DecodeError",
    "LocalSession",
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
    "findLocalHost",
    "forbidden",
    "invalid",
    "localCertificates",
    "multiMutatingHandler",
    "multiValidatingHandler",
    "patchResponseFromRaw",
    "patched",
    "probeLocal",
    "reviewResponse",
    "secretCertificates",
    "staticCertificate",
    "tokenErrored",
    "tokenReviewHandler",
    "unauthenticated",
    "validationResponse",
    "withWarnings",
  ]);
});
