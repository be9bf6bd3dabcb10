import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import { systemClock } from "@kubewright/clock";
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

export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

export interface IssuedCertificate {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

const ecdsaWithSha256 = sequence(objectIdentifier("1.2.840.10045.4.3.2"));
const usages = { serverAuth: "1.3.6.1.5.5.7.3.1", clientAuth: "1.3.6.1.5.5.7.3.2" } as const;
const yearMs = 365 * 24 * 3_600_000;
const backdatedMs = 3_600_000;

/** A certificate authority with an EC key on P-256. */
export class CertificateAuthority {
  /** PEM. */
  readonly certificate: string;
  readonly #subject: Subject;
  readonly #key: KeyObject;
  readonly #keyId: Buffer;
  readonly #nowMs: () => number;

  /**
   * @param kept certificate and key of an authority of this name that was made before; default: one is made
   * @param nowMs the wall's time, by which peers judge a certificate; not a clock that tests turn
   */
  constructor(commonName: string, kept?: IssuedCertificate, nowMs: () => number = systemClock.now) {
    const privateKey = kept
      ? createPrivateKey(kept.key)
      : generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    const publicKey = createPublicKey(privateKey);
    this.#subject = { commonName };
    this.#key = privateKey;
    this.#keyId = keyIdOf(publicKey);
    this.#nowMs = nowMs;
    this.certificate =
      kept?.certificate ??
      this.#issue(this.#subject, publicKey, 10 * yearMs, [
        extension("2.5.29.19", sequence(boolean(true)), true), // basic constraints: a CA
        extension("2.5.29.15", bitString(Buffer.from([0b1010_0100]), 2), true), // signs, enciphers keys, signs certificates
        extension("2.5.29.14", octetString(this.#keyId)),
      ]);
  }

  /** Certificate and private key, to be kept. */
  export(): IssuedCertificate {
    return { certificate: this.certificate, key: String(this.#key.export({ type: "pkcs8", format: "pem" })) };
  }

  /** A server's certificate for these host names and addresses. */
  issueServer(commonName: string, hosts: readonly string[]): IssuedCertificate {
    return this.#issueLeaf({ commonName }, usages.serverAuth, [
      extension("2.5.29.17", sequence(...hosts.map(hostName))),
    ]);
  }

  /** A user's certificate: the common name is the user, organizations are the groups. */
  issueClient(subject: Subject): IssuedCertificate {
    return this.#issueLeaf(subject, usages.clientAuth, []);
  }

  #issueLeaf(subject: Subject, usage: string, extensions: readonly Buffer[]): IssuedCertificate {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const certificate = this.#issue(subject, publicKey, yearMs, [
      extension("2.5.29.19", sequence(), true),
      extension("2.5.29.15", bitString(Buffer.from([0b1010_0000]), 5), true), // signs, enciphers keys
      extension("2.5.29.37", sequence(objectIdentifier(usage))),
      extension("2.5.29.35", sequence(tagged(0, this.#keyId, false))),
      ...extensions,
    ]);
    // "EC PRIVATE KEY" says what it holds; Java clients take what only says "PRIVATE KEY" for RSA.
    return { certificate, key: String(privateKey.export({ type: "sec1", format: "pem" })) };
  }

  #issue(subject: Subject, publicKey: KeyObject, validMs: number, extensions: readonly Buffer[]): string {
    const now = this.#nowMs();
    const body = sequence(
      tagged(0, integer(Buffer.from([2]))), // version 3
      integer(serialNumber()),
      ecdsaWithSha256,
      nameOf(this.#subject),
      sequence(time(now - backdatedMs), time(now + validMs)),
      nameOf(subject),
      publicKey.export({ type: "spki", format: "der" }),
      tagged(3, sequence(...extensions)),
    );
    const der = sequence(body, ecdsaWithSha256, bitString(sign("sha256", body, this.#key)));
    const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
    return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
  }
}

const keyIdOf = (key: KeyObject): Buffer =>
  createHash("sha1")
    .update(key.export({ type: "spki", format: "der" }))
    .digest();

function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return bytes;
}

function nameOf({ commonName, organizations = [] }: Subject): Buffer {
  const part = (type: string, value: string): Buffer => setOf(sequence(objectIdentifier(type), utf8String(value)));
  return sequence(...organizations.map((name) => part("2.5.4.10", name)), part("2.5.4.3", commonName));
}

const extension = (type: string, value: Buffer, critical = false): Buffer =>
  sequence(objectIdentifier(type), ...(critical ? [boolean(true)] : []), octetString(value));

/** One entry of the subject's alternative names. */
function hostName(host: string): Buffer {
  if (isIPv4(host)) return tagged(7, Buffer.from(host.split(".").map(Number)), false);
  if (isIPv6(host)) return tagged(7, ipv6Bytes(host), false);
  return tagged(2, Buffer.from(host), false);
}

function ipv6Bytes(host: string): Buffer {
  const [head = "", tail] = host.split("::");
  const words = (text: string | undefined): number[] =>
    text ? text.split(":").map((word) => Number.parseInt(word, 16)) : [];
  const [before, after] = [words(head), words(tail)];
  const all = [
    ...before,
    ...new Array<number>(tail === undefined ? 0 : 8 - before.length - after.length).fill(0),
    ...after,
  ];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}
