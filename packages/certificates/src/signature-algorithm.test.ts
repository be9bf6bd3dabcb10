import { createSecretKey, generateKeyPairSync } from "node:crypto";
import { expect, it } from "vitest";
import { requireStrength, signatureAlgorithmOf } from "./signature-algorithm.ts";

const rsa = (modulusLength: number) => generateKeyPairSync("rsa", { modulusLength }).privateKey;

/** @see RFC 5758 3.2, RFC 4055 5, RFC 8410 3: parameters are absent, except for RSA, where they are NULL */
it.each([
  ["EC", generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey, "300a06082a8648ce3d040302", "sha256"],
  ["RSA", rsa(1_024), "300d06092a864886f70d01010b0500", "sha256"],
  ["Ed25519", generateKeyPairSync("ed25519").privateKey, "300506032b6570", null],
])("a key of type %s signs with its algorithm", (_, key, identifier, digest) => {
  const found = signatureAlgorithmOf(key);
  expect([found.identifier.toString("hex"), found.digest]).toEqual([identifier, digest]);
  expect(() => requireStrength(key)).not.toThrow();
});

it("rejects keys of other types, and RSA keys of less than 1024 bits", () => {
  expect(() => signatureAlgorithmOf(generateKeyPairSync("x25519").privateKey)).toThrow("a key of type x25519");
  expect(() => signatureAlgorithmOf(createSecretKey(Buffer.alloc(32)))).toThrow("cannot sign with a key of type");
  expect(() => signatureAlgorithmOf(rsa(1_023))).toThrow("verifiers reject RSA keys of 1023 bits");
});
