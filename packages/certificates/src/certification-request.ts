import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { attributeTypes, type NameAttribute, nameAttributes } from "./certificate-details.ts";
import { childrenOf, type DerElement, identifierText, pemBody, readDer } from "./der-reader.ts";

/** A certificate signing request in PKCS #10 format. */
export interface CertificationRequest {
  /** Common name of the subject; empty if absent. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly publicKey: KeyObject;
  /** Subject alternative names that are DNS names. Each type of name has its own list. */
  readonly dnsNames: readonly string[];
  /** Subject alternative names that are IP addresses, with 4 or 16 bytes each. */
  readonly ipAddresses: readonly Buffer[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  /** Attributes of the subject, in order. */
  readonly attributes: readonly NameAttribute[];
  /** DER encoding of the subject. The subject alternative names, if any, are also DER-encoded. */
  readonly subject: Buffer;
  readonly alternativeNames: Buffer | undefined;
  /** True if the request is signed with its own key. */
  readonly isSigned: boolean;
}

const extensionRequest = "1.2.840.113549.1.9.14";
const alternativeNameType = "2.5.29.17";

const digests: Readonly<Record<string, string | null>> = {
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.3.101.112": null, // the algorithm Ed25519 includes hashing
};

/**
 * Parses a certificate signing request in PEM format.
 *
 * @throws {Error} if the request is not valid
 *
 * @see kubernetes pkg/apis/certificates ParseCSR
 */
export function parseCertificationRequest(pem: string): CertificationRequest {
  const bytes = pemBody(pem, "CERTIFICATE REQUEST");
  if (!bytes) throw new Error("PEM block type must be CERTIFICATE REQUEST");
  const [body, algorithm, signature] = childrenOf(readDer(bytes)[0]);
  if (!body || !algorithm || !signature) throw new Error("asn1: structure error: certificate request is incomplete");
  const [, subject, keyInfo, ...requested] = childrenOf(body);
  if (!subject || !keyInfo) throw new Error("asn1: structure error: certificate request is incomplete");
  const publicKey = createPublicKey({ key: keyInfo.whole, format: "der", type: "spki" });
  const alternativeNames = extensionsOf(requested).get(alternativeNameType);
  const names = alternativeNames ? childrenOf(readDer(alternativeNames)[0]) : [];
  const named = (tag: number): Buffer[] => names.filter((each) => each.tag === tag).map(({ content }) => content);
  const attributes = nameAttributes(subject);
  const subjectParts = (type: string): string[] =>
    attributes.filter((attribute) => attribute.type === type).map(({ value }) => value);
  const texts = (tag: number): string[] => named(tag).map((content) => content.toString("latin1"));
  return {
    commonName: subjectParts(attributeTypes.commonName).at(-1) ?? "",
    organizations: subjectParts(attributeTypes.organization),
    attributes,
    publicKey,
    emailAddresses: texts(0x81),
    dnsNames: texts(0x82),
    uris: texts(0x86),
    ipAddresses: named(0x87),
    subject: subject.whole,
    alternativeNames,
    isSigned: isSigned(body, algorithm, signature, publicKey),
  };
}

/** Returns the organizations (groups) in a certificate signing request, or `undefined` if the request cannot be parsed. */
export function organizationsOfRequest(pem: string): readonly string[] | undefined {
  try {
    return parseCertificationRequest(pem).organizations;
  } catch {
    return undefined; // the caller rejects it with its own message
  }
}

/** Returns the extensions that a request asks for, keyed by type. */
function extensionsOf(attributes: readonly DerElement[]): ReadonlyMap<string, Buffer> {
  const extensions = new Map<string, Buffer>();
  for (const attribute of attributes.flatMap(childrenOf)) {
    const [kind, values] = childrenOf(attribute);
    if (!kind || identifierText(kind) !== extensionRequest) continue;
    for (const extension of childrenOf(values).flatMap(childrenOf)) {
      const parts = childrenOf(extension);
      const [type, value] = [parts[0], parts.at(-1)];
      if (type && value) extensions.set(identifierText(type), value.content);
    }
  }
  return extensions;
}

function isSigned(body: DerElement, algorithm: DerElement, signature: DerElement, key: KeyObject): boolean {
  const [kind] = childrenOf(algorithm);
  const digest = kind ? digests[identifierText(kind)] : undefined;
  if (digest === undefined) return false;
  return verify(digest, body.whole, key, signature.content.subarray(1));
}
