import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "CertWatcher",
    "CertificateAuthority",
    "Connections",
    "attributeTypes",
    "certificateAuthority",
    "certificateBlocks",
    "certificateDetails",
    "commonNameOf",
    "commonNameOfRequest",
    "createCertificationRequest",
    "describePeerSafely",
    "emptyRevocationList",
    "isPipelined",
    "isSamePublicKey",
    "organizationsOfRequest",
    "parseCertificationRequest",
    "peerOf",
    "pemBlock",
    "pemBlocks",
    "signCertificationRequest",
    "subjectValues",
    "whenIdle",
  ]);
});
