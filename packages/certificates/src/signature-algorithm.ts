import type { KeyObject } from "node:crypto";
import { objectIdentifier, sequence } from "./der.ts";

export interface SignatureAlgorithm {
  /** DER encoding of the AlgorithmIdentifier. */
  readonly identifier: Buffer;
  /** Hash algorithm; `null` if the signature algorithm includes hashing. */
  readonly digest: string | null;
}

const algorithms: Readonly<Record<string, SignatureAlgorithm>> = {
  ec: { identifier: sequence(objectIdentifier("1.2.840.10045.4.3.2")), digest: "sha256" },
  rsa: { identifier: sequence(objectIdentifier("1.2.840.113549.1.1.11"), Buffer.from([5, 0])), digest: "sha256" },
  ed25519: { identifier: sequence(objectIdentifier("1.3.101.112")), digest: null },
};

const shortestRsaBits = 1_024;

/**
 * Returns a key's signature algorithm.
 *
 * @throws {Error} if the key's type is not EC, RSA or Ed25519, or it is an RSA key that verifiers reject
 */
export function signatureAlgorithmOf(key: KeyObject): SignatureAlgorithm {
  const algorithm = algorithms[key.asymmetricKeyType ?? ""];
  if (!algorithm) throw new Error(`cannot sign with a key of type ${key.asymmetricKeyType}`);
  requireStrength(key);
  return algorithm;
}

/** @throws {Error} if an RSA key is too short for verifiers */
export function requireStrength(key: KeyObject): void {
  const bits = key.asymmetricKeyType === "rsa" ? (key.asymmetricKeyDetails?.modulusLength ?? 0) : shortestRsaBits;
  if (bits < shortestRsaBits) throw new Error(`verifiers reject an RSA key of ${bits} bits: use 2048 or more`);
}
