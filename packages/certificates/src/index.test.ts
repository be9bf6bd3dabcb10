import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "CertificateAuthority",
    "attributeTypes",
    "certificateAuthority",
    "certificateDetails",
    "commonNameOf",
    "commonNameOfRequest",
    "createCertificationRequest",
    "emptyRevocationList",
    "objectIdentifier",
    "organizationsOfRequest",
    "parseCertificationRequest",
    "sequence",
    "signCertificationRequest",
    "subjectValues",
    "tagged",
  ]);
});
