import { createPrivateKey, createPublicKey, randomBytes, sign, X509Certificate } from "node:crypto";
import { ownMember } from "@kubewright/apimachinery";
import type { IssuedCertificate } from "./certificate-authority.ts";
import type { CertificationRequest } from "./certification-request.ts";
import { bitString, boolean, integer, objectIdentifier, octetString, sequence, tagged, time } from "./der.ts";
import { childrenOf, identifierText, readDer } from "./der-reader.ts";

export interface SigningOptions {
  /** As in `spec.usages` of a CertificateSigningRequest. */
  readonly usages: readonly string[];
  readonly notBeforeMs: number;
  /** The authority's own end is not exceeded. */
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

/** In the order in which upstream writes them. */
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

const signatures: Readonly<Record<string, { readonly algorithm: Buffer; readonly digest: string | null }>> = {
  ec: { algorithm: sequence(objectIdentifier("1.2.840.10045.4.3.2")), digest: "sha256" },
  rsa: { algorithm: sequence(objectIdentifier("1.2.840.113549.1.1.11"), Buffer.from([5, 0])), digest: "sha256" },
  ed25519: { algorithm: sequence(objectIdentifier("1.3.101.112")), digest: null },
};

/**
 * Signs what was asked for: subject, key and alternative names of the request, usages and times as given.
 *
 * @param authority certificate and key of the authority, PEM
 * @returns the certificate, PEM
 * @throws {Error} where the request is not signed by its key, or the authority's time is over
 * @see kubernetes pkg/controller/certificates/authority
 */
export function signCertificationRequest(
  authority: IssuedCertificate,
  request: CertificationRequest,
  { usages, notBeforeMs, notAfterMs }: SigningOptions,
): string {
  if (!request.isSigned) throw new Error("unable to verify certificate request signature: x509: signature is invalid");
  const key = createPrivateKey(authority.key);
  const issuer = new X509Certificate(authority.certificate);
  const issuerEnd = Date.parse(issuer.validTo);
  if (issuerEnd <= notBeforeMs) throw new Error(`the signer has expired: NotAfter=${issuer.validTo}`);
  const { algorithm, digest } = signatures[key.asymmetricKeyType ?? ""] ?? {};
  if (!algorithm || digest === undefined) throw new Error(`cannot sign with a key of type ${key.asymmetricKeyType}`);
  const names = issuerNames(issuer.raw);
  const body = sequence(
    tagged(0, integer(Buffer.from([2]))), // version 3
    integer(serialNumber()),
    algorithm,
    names.subject,
    sequence(time(notBeforeMs), time(Math.min(notAfterMs, issuerEnd))),
    request.subject,
    createPublicKey(request.publicKey.export({ format: "pem", type: "spki" })).export({ type: "spki", format: "der" }),
    tagged(3, sequence(...extensions(usages, names.keyId, request.alternativeNames))),
  );
  const der = sequence(body, algorithm, bitString(sign(digest, body, key)));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
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
    extension("2.5.29.19", sequence(), true), // basic constraints: no CA
    ...(keyId ? [extension("2.5.29.35", sequence(tagged(0, keyId, false)))] : []),
    ...(names ? [extension("2.5.29.17", names)] : []),
  ];
}

const extension = (type: string, value: Buffer, critical = false): Buffer =>
  sequence(objectIdentifier(type), ...(critical ? [boolean(true)] : []), octetString(value));

/** A bit string whose first bit is the highest of its first byte; trailing zeros are left out. */
function usageBits(bits: readonly number[]): Buffer {
  const highest = Math.max(...bits);
  const bytes = Buffer.alloc(highest > 7 ? 2 : 1);
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return bitString(bytes, 7 - (highest & 7));
}

/** The subject of a certificate, and the id of its key if it tells. */
function issuerNames(certificate: Buffer): { readonly subject: Buffer; readonly keyId: Buffer | undefined } {
  const body = childrenOf(childrenOf(readDer(certificate)[0])[0]);
  const subject = body[5];
  if (!subject) throw new Error("the authority's certificate has no subject");
  const extensionList = body.find(({ tag }) => tag === 0xa3);
  const keyIds = childrenOf(extensionList)
    .flatMap(childrenOf)
    .flatMap((each) => {
      const parts = childrenOf(each);
      const [type, value] = [parts[0], parts.at(-1)];
      return type && value && identifierText(type) === "2.5.29.14" ? (readDer(value.content)[0]?.content ?? []) : [];
    });
  return { subject: subject.whole, keyId: keyIds[0] };
}

function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return bytes;
}
