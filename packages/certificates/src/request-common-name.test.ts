import { generateKeyPairSync } from "node:crypto";
import { expect, it } from "vitest";
import { createCertificationRequest } from "./create-certification-request.ts";
import { commonNameOfRequest } from "./request-common-name.ts";

const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const pem = createCertificationRequest({ commonName: "system:node:a", organizations: ["system:nodes"] }, key);

it.each([
  ["a request in base64", Buffer.from(pem).toString("base64"), "system:node:a"],
  ["a request that is not in base64", pem, undefined],
  ["other text", "aGVsbG8=", undefined],
  ["no text", "", undefined],
  ["bytes", Buffer.from(pem), undefined],
  ["a list of bytes", [...Buffer.from(pem)], undefined],
  ["nothing", undefined, undefined],
  ["null", null, undefined],
  ["a number", 7, undefined],
])("the common name of %s", (_, request, name) => {
  expect(commonNameOfRequest(request)).toBe(name);
});
