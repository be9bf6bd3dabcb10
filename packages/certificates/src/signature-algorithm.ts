import type { KeyObject } from "node:crypto";
import { objectIdentifier, sequence } from "./der.ts";

export interface SignatureAlgorithm {
  /** DER encoding of the `AlgorithmIdentifier`. */
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
 * Returns the signature algorithm for a key.
 *
 * @throws {Error} if the key is not of type EC, RSA or Ed25519, or if it is an RSA key that clients reject
 */
export function signatureAlgorithmOf(key: KeyObject): SignatureAlgorithm {
  const algorithm = algorithms[key.asymmetricKeyType ?? ""];
  if (!algorithm) throw new Error(`cannot sign with a key of type ${key.asymmetricKeyType}`);
  requireStrength(key);
  return algorithm;
}

/** Checks the length of a key. @throws {Error} if the key is an RSA key that is too short for clients */
export function requireStrength(key: KeyObject): void {
  const bits = key.asymmetricKeyType === "rsa" ? (key.asymmetricKeyDetails?.modulusLength ?? 0) : shortestRsaBits;
  if (bits < shortestRsaBits) throw new Error(`verifiers reject RSA keys of ${bits} bits; use at least 2048 bits`);
}
