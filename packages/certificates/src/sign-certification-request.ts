import { createPublicKey, sign } from "node:crypto";
import { ownMember } from "@kubewright/apimachinery";
import type { IssuedCertificate } from "./certificate-authority.ts";
import type { CertificationRequest } from "./certification-request.ts";
import { bitString, boolean, integer, objectIdentifier, octetString, sequence, tagged, time } from "./der.ts";
import { isSameName, readIssuer } from "./issuer.ts";
import { pemCertificate, serialNumber } from "./pem-certificate.ts";
import { requireStrength, signatureAlgorithmOf } from "./signature-algorithm.ts";

/** The contents of a certificate that are not taken from the request. */
export interface SigningOptions {
  /** Usages of the key, as in `spec.usages` of a CertificateSigningRequest. */
  readonly usages: readonly string[];
  /** Start of the validity period, in milliseconds since 1970. Certificates contain only whole seconds. */
  readonly notBeforeMs: number;
  /** End of the validity period, in milliseconds since 1970. The certificate does not outlive its authority. */
  readonly notAfterMs: number;
}

const keyUsageBits: Readonly<Record<string, number>> = {
  signing: 0,
  "digital signature": 0,
  "content commitment": 1,
  "key encipherment": 2,
  "data encipherment": 3,
  "key agreement": 4,
  "cert sign": 5,
  "crl sign": 6,
  "encipher only": 7,
  "decipher only": 8,
};

/** Object identifiers of extended key usages, in upstream's order. */
const extendedUsages: Readonly<Record<string, string>> = {
  any: "2.5.29.37.0",
  "server auth": "1.3.6.1.5.5.7.3.1",
  "client auth": "1.3.6.1.5.5.7.3.2",
  "code signing": "1.3.6.1.5.5.7.3.3",
  "email protection": "1.3.6.1.5.5.7.3.4",
  "s/mime": "1.3.6.1.5.5.7.3.4",
  "ipsec end system": "1.3.6.1.5.5.7.3.5",
  "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
  "ipsec user": "1.3.6.1.5.5.7.3.7",
  timestamping: "1.3.6.1.5.5.7.3.8",
  "ocsp signing": "1.3.6.1.5.5.7.3.9",
  "microsoft sgc": "1.3.6.1.4.1.311.10.3.3",
  "netscape sgc": "2.16.840.1.113730.4.1",
};

/**
 * Signs a request. The certificate contains the subject, key and alternative names from the request, and the given
 * usages and times.
 *
 * @param authority certificate and key of the authority, in PEM format
 *
 * @returns the certificate, in PEM format
 * @throws {Error} if the request is not signed with its own key, or if clients would reject the certificate because the
 * authority is invalid or expired, the subject is the authority's own name, or the key is too short
 * @see kubernetes pkg/controller/certificates/authority
 */
export function signCertificationRequest(
  authority: IssuedCertificate,
  request: CertificationRequest,
  { usages, notBeforeMs, notAfterMs }: SigningOptions,
): string {
  if (!request.isSigned) throw new Error("unable to verify certificate request signature: x509: signature is invalid");
  const issuer = readIssuer(authority.certificate, authority.key);
  if (issuer.notAfterMs <= notBeforeMs)
    throw new Error(`the signer has expired: NotAfter=${new Date(issuer.notAfterMs).toISOString()}`);
  const end = Math.min(notAfterMs, issuer.notAfterMs);
  if (!(end > notBeforeMs))
    throw new Error("the certificate would expire before it becomes valid: notAfterMs is not after notBeforeMs");
  if (isSameName(request.attributes, issuer.attributes))
    throw new Error("the request is for the authority's own name, so the certificate would look self-signed");
  requireStrength(request.publicKey);
  const { identifier, digest } = signatureAlgorithmOf(issuer.key);
  const body = sequence(
    tagged(0, integer(Buffer.from([2]))), // version 3
    integer(serialNumber()),
    identifier,
    issuer.subject,
    sequence(time(notBeforeMs), time(end)),
    request.subject,
    createPublicKey(request.publicKey.export({ format: "pem", type: "spki" })).export({ type: "spki", format: "der" }),
    tagged(3, sequence(...extensions(usages, issuer.keyId, request.alternativeNames))),
  );
  return pemCertificate(sequence(body, identifier, bitString(sign(digest, body, issuer.key)))) + issuer.chain;
}

function extensions(usages: readonly string[], keyId: Buffer | undefined, names: Buffer | undefined): Buffer[] {
  const bits = usages.flatMap((usage) => ownMember(keyUsageBits, usage) ?? []);
  const extended = [
    ...new Set(
      Object.keys(extendedUsages).flatMap((name) => (usages.includes(name) ? (extendedUsages[name] ?? []) : [])),
    ),
  ];
  return [
    ...(bits.length > 0 ? [extension("2.5.29.15", usageBits(bits), true)] : []),
    ...(extended.length > 0 ? [extension("2.5.29.37", sequence(...extended.map(objectIdentifier)))] : []),
    extension("2.5.29.19", sequence(), true), // basic constraints: this is not a CA
    ...(keyId ? [extension("2.5.29.35", sequence(tagged(0, keyId, false)))] : []),
    ...(names ? [extension("2.5.29.17", names)] : []),
  ];
}

const extension = (type: string, value: Buffer, critical = false): Buffer =>
  sequence(objectIdentifier(type), ...(critical ? [boolean(true)] : []), octetString(value));

/** Encodes key usages as a bit string. Its first bit is the highest bit of the first byte, and trailing zeros are omitted. */
function usageBits(bits: readonly number[]): Buffer {
  const highest = Math.max(...bits);
  const bytes = Buffer.alloc(highest > 7 ? 2 : 1);
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return bitString(bytes, 7 - (highest & 7));
}
