import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { alternativeName } from "./alternative-name.ts";
import type { Subject } from "./certificate-authority.ts";
import { bitString, integer, objectIdentifier, octetString, sequence, setOf, tagged, utf8String } from "./der.ts";
import { pemBlock } from "./pem-certificate.ts";

/** Contents of a certificate signing request. */
export interface CertificationRequestOptions extends Subject {
  /** Subject alternative names that are DNS names. */
  readonly dnsNames?: readonly string[] | undefined;
  /** Subject alternative names that are IP addresses. */
  readonly ipAddresses?: readonly string[] | undefined;
}

const signatures: Readonly<Record<string, readonly Buffer[]>> = {
  ec: [objectIdentifier("1.2.840.10045.4.3.2")],
  rsa: [objectIdentifier("1.2.840.113549.1.1.11"), Buffer.from([5, 0])],
};

/**
 * Creates a certificate signing request in PEM format. For `spec.request` in a CertificateSigningRequest, encode it as
 * base64.
 *
 * @param key private key of type EC or RSA
 *
 * @throws {Error} if the key has a different type, or if clients would not accept an alternative name as a server name
 */
export function createCertificationRequest(options: CertificationRequestOptions, key: KeyObject): string {
  const { commonName, organizations = [], dnsNames = [], ipAddresses = [] } = options;
  const algorithm = signatures[key.asymmetricKeyType ?? ""];
  if (!algorithm) throw new Error(`cannot sign a request with a key of type ${key.asymmetricKeyType}`);
  const part = (type: string, value: string): Buffer => setOf(sequence(objectIdentifier(type), utf8String(value)));
  const names = sequence(...[...dnsNames, ...ipAddresses].map(alternativeName));
  const alternativeNames = sequence(objectIdentifier("2.5.29.17"), octetString(names));
  const extensions = sequence(objectIdentifier("1.2.840.113549.1.9.14"), setOf(sequence(alternativeNames)));
  const body = sequence(
    integer(Buffer.from([0])), // version 1
    sequence(...organizations.map((name) => part("2.5.4.10", name)), part("2.5.4.3", commonName)),
    createPublicKey(key).export({ type: "spki", format: "der" }),
    tagged(0, dnsNames.length + ipAddresses.length > 0 ? extensions : Buffer.alloc(0)),
  );
  const der = sequence(body, sequence(...algorithm), bitString(sign("sha256", body, key)));
  return pemBlock("CERTIFICATE REQUEST", der);
}
