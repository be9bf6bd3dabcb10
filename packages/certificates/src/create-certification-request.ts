import { createPublicKey, type KeyObject, sign } from "node:crypto";
import type { Subject } from "./certificate-authority.ts";
import { bitString, integer, objectIdentifier, octetString, sequence, setOf, tagged, utf8String } from "./der.ts";

export interface CertificationRequestOptions extends Subject {
  /** Alternative names of the subject. */
  readonly dnsNames?: readonly string[];
}

const signatures: Readonly<Record<string, readonly Buffer[]>> = {
  ec: [objectIdentifier("1.2.840.10045.4.3.2")],
  rsa: [objectIdentifier("1.2.840.113549.1.1.11"), Buffer.from([5, 0])],
};

/**
 * A request for a certificate, PEM: what goes, in base64, into `spec.request` of a CertificateSigningRequest.
 *
 * @param key a private key, EC or RSA
 * @throws {Error} for a key of another type
 */
export function createCertificationRequest(options: CertificationRequestOptions, key: KeyObject): string {
  const { commonName, organizations = [], dnsNames = [] } = options;
  const algorithm = signatures[key.asymmetricKeyType ?? ""];
  if (!algorithm) throw new Error(`cannot sign a request with a key of type ${key.asymmetricKeyType}`);
  const part = (type: string, value: string): Buffer => setOf(sequence(objectIdentifier(type), utf8String(value)));
  const names = sequence(...dnsNames.map((name) => tagged(2, Buffer.from(name), false)));
  const alternativeNames = sequence(objectIdentifier("2.5.29.17"), octetString(names));
  const extensions = sequence(objectIdentifier("1.2.840.113549.1.9.14"), setOf(sequence(alternativeNames)));
  const body = sequence(
    integer(Buffer.from([0])), // version 1
    sequence(...organizations.map((name) => part("2.5.4.10", name)), part("2.5.4.3", commonName)),
    createPublicKey(key).export({ type: "spki", format: "der" }),
    tagged(0, dnsNames.length > 0 ? extensions : Buffer.alloc(0)),
  );
  const der = sequence(body, sequence(...algorithm), bitString(sign("sha256", body, key)));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join("\n")}\n-----END CERTIFICATE REQUEST-----\n`;
}
