import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import {
  bitString,
  boolean,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  setOf,
  tagged,
  time,
  utf8String,
} from "../der.ts";

/** One part of a name, consisting of one or more attributes. A value is text, or raw DER. */
export type NamePart = readonly (readonly [type: string, value: string | Buffer])[];

/** Returns the part of a name that contains a user. */
export const commonName = (value: string | Buffer): NamePart => [["2.5.4.3", value]];
/** Returns the part of a name that contains a group. */
export const organization = (value: string | Buffer): NamePart => [["2.5.4.10", value]];

/** Contents of a {@link testCertificate}. They need not be valid. */
export interface TestCertificateOptions {
  readonly subject: readonly NamePart[];
  /** Certificate that signs this one. Default: the certificate signs itself. */
  readonly issuer?: TestCertificate | undefined;
  /** Name to use as the issuer, if it must differ from the issuer's own name. */
  readonly issuerName?: readonly NamePart[] | undefined;
  /** Start of the validity period, in milliseconds since 1970. Default: a day ago. */
  readonly notBeforeMs?: number | undefined;
  /** End of the validity period, in milliseconds since 1970. Default: in a day. */
  readonly notAfterMs?: number | undefined;
  /** Version of the certificate. A certificate of version 1 has no extensions. Default 3. */
  readonly version?: 1 | 3 | undefined;
  /** True for a CA. If absent, the certificate has no basic constraints. */
  readonly ca?: boolean | undefined;
  readonly pathLength?: number | undefined;
  /** Key usages as bit numbers: 0 to sign data, 5 to sign certificates. */
  readonly keyUsage?: readonly number[] | undefined;
  /** Extended key usages, as object identifiers. */
  readonly extendedKeyUsage?: readonly string[] | undefined;
  readonly extensions?: readonly (readonly [type: string, value: Buffer, critical?: boolean])[] | undefined;
  /** Hash algorithm of the signature. Default `sha256`. */
  readonly digest?: "sha256" | "sha1" | undefined;
  /** Public key of the certificate. Default: a new key. */
  readonly publicKey?: KeyObject | undefined;
}

/** A certificate with its key. It can be used to issue other certificates. */
export interface TestCertificate {
  /** The certificate in PEM format. */
  readonly certificate: string;
  /** The private key as PKCS #8 in PEM format. */
  readonly key: string;
  /** The subject as DER. */
  readonly subject: Buffer;
  readonly privateKey: KeyObject;
}

/** Object identifier of the extended key usage for client certificates. */
export const clientAuth = "1.3.6.1.5.5.7.3.2";
/** Object identifier of the extended key usage for server certificates. */
export const serverAuth = "1.3.6.1.5.5.7.3.1";

const dayMs = 24 * 3_600_000;

/** Creates a certificate for tests, which need not be valid. */
export function testCertificate(options: TestCertificateOptions): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = nameOf(options.subject);
  const { issuer, issuerName, version = 3, digest = "sha256" } = options;
  const { notBeforeMs = Date.now() - dayMs, notAfterMs = Date.now() + dayMs } = options;
  const algorithm = sequence(objectIdentifier(digest === "sha256" ? "1.2.840.10045.4.3.2" : "1.2.840.10045.4.1"));
  const extensions = extensionsOf(options);
  const body = sequence(
    ...(version === 3 ? [tagged(0, integer(Buffer.from([2])))] : []),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    issuerName ? nameOf(issuerName) : (issuer?.subject ?? subject),
    sequence(time(notBeforeMs), time(notAfterMs)),
    subject,
    (options.publicKey ? createPublicKey(options.publicKey) : publicKey).export({ type: "spki", format: "der" }),
    ...(version === 3 && extensions.length > 0 ? [tagged(3, sequence(...extensions))] : []),
  );
  const der = sequence(body, algorithm, bitString(sign(digest, body, issuer?.privateKey ?? privateKey)));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    subject,
    privateKey,
  };
}

function nameOf(parts: readonly NamePart[]): Buffer {
  const derOf = (value: string | Buffer): Buffer => (typeof value === "string" ? utf8String(value) : value);
  return sequence(
    ...parts.map((part) => setOf(...part.map(([type, value]) => sequence(objectIdentifier(type), derOf(value))))),
  );
}

function extensionsOf({ ca, pathLength, keyUsage, extendedKeyUsage, extensions = [] }: TestCertificateOptions) {
  const constraints = [
    ...(ca ? [boolean(true)] : []),
    ...(pathLength === undefined ? [] : [integer(Buffer.from([pathLength]))]),
  ];
  const extension = (type: string, value: Buffer, critical = false): Buffer =>
    sequence(objectIdentifier(type), ...(critical ? [boolean(true)] : []), octetString(value));
  return [
    ...(ca === undefined ? [] : [extension("2.5.29.19", sequence(...constraints), true)]),
    ...(keyUsage ? [extension("2.5.29.15", usageBits(keyUsage), true)] : []),
    ...(extendedKeyUsage ? [extension("2.5.29.37", sequence(...extendedKeyUsage.map(objectIdentifier)))] : []),
    ...extensions.map(([type, value, critical]) => extension(type, value, critical)),
  ];
}

const usageBits = (bits: readonly number[]): Buffer =>
  bitString(Buffer.from([bits.reduce((byte, bit) => byte | (0x80 >> bit), 0)]));
