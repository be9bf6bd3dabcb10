import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { systemClock } from "@kubewright/clock";
import { alternativeName } from "./alternative-name.ts";
import { attributeTypes, type NameAttribute } from "./certificate-details.ts";
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
} from "./der.ts";
import { type Issuer, isSameName, readIssuer } from "./issuer.ts";
import { pemCertificate, serialNumber } from "./pem-certificate.ts";
import { signatureAlgorithmOf } from "./signature-algorithm.ts";

/** Subject of a client certificate: a user's name and groups. */
export interface Subject {
  /** The user's name. It must have 1 to 4096 bytes, and must not consist of spaces only. */
  readonly commonName: string;
  /** The user's groups. The limits of {@link commonName} apply to each group's name. Default: none. */
  readonly organizations?: readonly string[] | undefined;
}

/** A certificate with its private key. */
export interface IssuedCertificate {
  /** Certificate in PEM format. For an intermediate authority, it is followed by the chain up to the root. */
  readonly certificate: string;
  /**
   * Private key in PEM format: SEC 1 for issued certificates, PKCS #8 for exported authorities. Both formats are also accepted as input.
   */
  readonly key: string;
}

/** Options for a {@link CertificateAuthority}. */
export interface CertificateAuthorityOptions {
  /** Lifetime of a new authority in milliseconds. Default: 10 years of 365 days. */
  readonly lifetimeMs?: number | undefined;
  /**
   * Returns the wall-clock time in milliseconds since 1970. Peers compare the times in certificates with this time. Default: the system
   * clock.
   */
  readonly nowMs?: (() => number) | undefined;
}

/** Options for issuing a certificate. */
export interface IssueOptions {
  /** Lifetime of the certificate in milliseconds. The certificate does not outlive its authority. Default: 365 days. */
  readonly lifetimeMs?: number | undefined;
}

const usages = { serverAuth: "1.3.6.1.5.5.7.3.1", clientAuth: "1.3.6.1.5.5.7.3.2" } as const;
const yearMs = 365 * 24 * 3_600_000;
const backdatedMs = 3_600_000;
/** Maximum length of a name in bytes. Longer names would make a certificate too large for handshakes. */
const longestText = 4_096;

/**
 * A certificate authority. A new authority has a P-256 EC key. Clients that trust an authority accept every certificate
 * that it issues.
 */
export class CertificateAuthority {
  /** The authority's own certificate in PEM format. */
  readonly certificate: string;
  readonly #issuer: Issuer;
  readonly #nowMs: () => number;

  /**
   * Creates an authority, or loads an existing one.
   *
   * @param kept certificate and key of an existing authority with this name. By default, a new authority is created
   *
   * @throws {Error} if the name is empty, or the existing certificate and key are not a usable authority with this name
   */
  constructor(commonName: string, kept?: IssuedCertificate, options: CertificateAuthorityOptions = {}) {
    const { lifetimeMs = 10 * yearMs, nowMs = systemClock.now } = options;
    this.#nowMs = nowMs;
    const attributes = attributesOf({ commonName });
    this.#issuer = kept ? readIssuer(kept.certificate, kept.key) : this.#make(attributes, lifetimeMs);
    this.certificate = kept?.certificate ?? this.#certify(this.#issuer);
    const named = this.#issuer.attributes.findLast(({ type }) => type === attributeTypes.commonName)?.value;
    if (named !== commonName)
      throw new Error(`the existing authority is named "${named ?? ""}", not "${commonName}": pass the existing name`);
  }

  /** Returns the certificate and private key for storage. */
  export(): IssuedCertificate {
    return { certificate: this.certificate, key: String(this.#issuer.key.export({ type: "pkcs8", format: "pem" })) };
  }

  /**
   * Issues a server certificate that is valid for the given host names and addresses.
   *
   * @throws {Error} if no host is given, a host is not valid, the name is the authority's own, or the authority has expired
   */
  issueServer(commonName: string, hosts: readonly string[], options: IssueOptions = {}): IssuedCertificate {
    if (!hosts || hosts.length === 0)
      throw new Error(
        `cannot issue a server certificate for "${commonName}" without hosts: pass the hosts that clients call`,
      );
    const names = sequence(...hosts.map(alternativeName));
    return this.#issueLeaf({ commonName }, usages.serverAuth, options, [extension("2.5.29.17", names)]);
  }

  /**
   * Issues a user certificate, in which the common name is the user and the organizations are the groups.
   *
   * @throws {Error} if a name is empty or is the authority's own, or if the authority has expired
   */
  issueClient(subject: Subject, options: IssueOptions = {}): IssuedCertificate {
    return this.#issueLeaf(subject, usages.clientAuth, options, []);
  }

  #make(attributes: readonly NameAttribute[], lifetimeMs: number): Issuer {
    const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    const now = this.#nowMs();
    requireLifetime(lifetimeMs, now);
    const spki = createPublicKey(key).export({ type: "spki", format: "der" });
    const keyId = createHash("sha1").update(spki).digest();
    const times = { notBeforeMs: now - backdatedMs, notAfterMs: now + lifetimeMs };
    return { key, subject: nameOf(attributes), attributes, keyId, ...times, chain: "" };
  }

  /** Issues the authority's own certificate. */
  #certify(issuer: Issuer): string {
    return this.#sign(issuer.subject, createPublicKey(issuer.key), issuer, [
      extension("2.5.29.19", sequence(boolean(true)), true), // basic constraints: this is a CA
      extension("2.5.29.15", bitString(Buffer.from([0b1010_0100]), 2), true), // key usage: signs data, enciphers keys, signs certificates
      extension("2.5.29.14", octetString(issuer.keyId ?? Buffer.alloc(0))),
    ]);
  }

  #issueLeaf(
    subject: Subject,
    usage: string,
    { lifetimeMs = yearMs }: IssueOptions,
    extensions: readonly Buffer[],
  ): IssuedCertificate {
    const { keyId, chain } = this.#issuer;
    const name = attributesOf(subject);
    if (isSameName(name, this.#issuer.attributes))
      throw new Error(
        `cannot issue a certificate for "${subject.commonName}", the authority's own name: the certificate would look self-signed`,
      );
    const times = this.#timesOf(lifetimeMs);
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const certificate = this.#sign(nameOf(name), publicKey, times, [
      extension("2.5.29.19", sequence(), true),
      extension("2.5.29.15", bitString(Buffer.from([0b1010_0000]), 5), true), // key usage: signs data, enciphers keys
      extension("2.5.29.37", sequence(objectIdentifier(usage))),
      ...(keyId ? [extension("2.5.29.35", sequence(tagged(0, keyId, false)))] : []),
      ...extensions,
    ]);
    // The block "EC PRIVATE KEY" states the type of the key. Java clients would read a plain "PRIVATE KEY" as an RSA key.
    return { certificate: certificate + chain, key: String(privateKey.export({ type: "sec1", format: "pem" })) };
  }

  /** Returns the validity period for a new certificate, limited by the authority's own validity period. */
  #timesOf(lifetimeMs: number): Pick<Issuer, "notBeforeMs" | "notAfterMs"> {
    const now = this.#nowMs();
    const { notBeforeMs, notAfterMs } = this.#issuer;
    requireLifetime(lifetimeMs, now);
    if (now >= notAfterMs) throw new Error(`the authority expired at ${new Date(notAfterMs).toISOString()}`);
    return {
      notBeforeMs: Math.min(Math.max(now - backdatedMs, notBeforeMs), notAfterMs),
      notAfterMs: Math.min(now + lifetimeMs, notAfterMs),
    };
  }

  #sign(
    subject: Buffer,
    publicKey: KeyObject,
    { notBeforeMs, notAfterMs }: Pick<Issuer, "notBeforeMs" | "notAfterMs">,
    extensions: readonly Buffer[],
  ): string {
    const { identifier, digest } = signatureAlgorithmOf(this.#issuer.key);
    const body = sequence(
      tagged(0, integer(Buffer.from([2]))), // version 3
      integer(serialNumber()),
      identifier,
      this.#issuer.subject,
      sequence(time(notBeforeMs), time(notAfterMs)),
      subject,
      publicKey.export({ type: "spki", format: "der" }),
      tagged(3, sequence(...extensions)),
    );
    return pemCertificate(sequence(body, identifier, bitString(sign(digest, body, this.#issuer.key))));
  }
}

/** Returns the attributes of a subject's name. @throws {Error} if a name is empty or too long */
function attributesOf({ commonName, organizations = [] }: Subject): NameAttribute[] {
  const attribute = (what: string, type: string, value: string): NameAttribute => {
    if (value.trim() === "" || value.includes("\0") || !value.isWellFormed() || Buffer.byteLength(value) > longestText)
      throw new Error(
        `${what} ${JSON.stringify(value.slice(0, 80))}: must be 1 to ${longestText} bytes long, contain no NUL, and not consist only of spaces`,
      );
    return { type, value };
  };
  return [
    ...organizations.map((name) => attribute("organization", attributeTypes.organization, name)),
    attribute("common name", attributeTypes.commonName, commonName),
  ];
}

const nameOf = (attributes: readonly NameAttribute[]): Buffer =>
  sequence(...attributes.map(({ type, value }) => setOf(sequence(objectIdentifier(type), utf8String(value)))));

/** Time from which on no certificate can be valid, because years in certificates have four digits. */
const beyondMs = Date.UTC(10_000, 0, 1);

function requireLifetime(lifetimeMs: number, nowMs: number): void {
  if (!(lifetimeMs >= 1_000 && nowMs + lifetimeMs < beyondMs))
    throw new RangeError(
      `lifetimeMs must be at least 1000 (one second) and end before the year 10000; got ${lifetimeMs}`,
    );
}

const extension = (type: string, value: Buffer, critical = false): Buffer =>
  sequence(objectIdentifier(type), ...(critical ? [boolean(true)] : []), octetString(value));
