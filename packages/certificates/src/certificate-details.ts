import type { KeyObject, X509Certificate } from "node:crypto";
import { childrenOf, type DerElement, identifierText, readDer } from "./der-reader.ts";

/** An attribute in a name, such as `2.5.4.10` (organization) with the value `system:masters`. */
export interface NameAttribute {
  /** Object identifier of the attribute's type. */
  readonly type: string;
  readonly value: string;
}

/**
 * A certificate's basic constraints: whether the certificate belongs to an authority, and the maximum length of the
 * chains below it. @see RFC 5280, 4.2.1.9
 */
export interface BasicConstraints {
  readonly ca: boolean;
  /** Maximum number of intermediate authorities between this one and the end of a chain. If absent, their number is unlimited. */
  readonly pathLength?: number;
}

/**
 * Contents of a certificate. They are parsed from the certificate's bytes, because Node's text form of a name is
 * ambiguous if a value contains a separator.
 */
export interface CertificateDetails {
  /** Version of the certificate: 1 or 3. */
  readonly version: number;
  /** Attributes of the subject, in order. If a part of the name has several attributes, they are adjacent. */
  readonly subject: readonly NameAttribute[];
  /** DER encoding of the subject, for comparisons. */
  readonly subjectDer: Buffer;
  readonly issuerDer: Buffer;
  /** Start of the validity period. Both times are in milliseconds since 1970. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** Object identifier of the algorithm with which the issuer signed the certificate. */
  readonly signatureAlgorithm: string;
  readonly basicConstraints?: BasicConstraints | undefined;
  /** True if the key may sign certificates; `undefined` if the certificate contains no key usage. */
  readonly signsCertificates?: boolean | undefined;
  /** Object identifiers of the extended key usages. `undefined` if the certificate contains none; any usage is permitted then. */
  readonly extendedKeyUsages?: readonly string[] | undefined;
  readonly hasAlternativeNames: boolean;
  /** True if the certificate belongs to an authority that may issue certificates for certain names only. */
  readonly hasNameConstraints: boolean;
  /** Object identifiers of critical extensions that are not supported. */
  readonly unhandledCritical: readonly string[];
}

/** Object identifiers of the attributes for users and groups, for use with {@link subjectValues}. */
export const attributeTypes = { commonName: "2.5.4.3", organization: "2.5.4.10" } as const;

const extensionTypes = {
  keyUsage: "2.5.29.15",
  alternativeNames: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  nameConstraints: "2.5.29.30",
  revocationLists: "2.5.29.31",
  policies: "2.5.29.32",
  extendedKeyUsage: "2.5.29.37",
} as const;

/** Object identifiers of the extensions that may be critical. @see Go's crypto/x509 processExtensions */
const handled: ReadonlySet<string> = new Set(Object.values(extensionTypes));
const keyCertSign = 5;

/**
 * Returns a certificate's contents, which are cached as long as the certificate object exists.
 *
 * @throws {Error} if the certificate is not valid or repeats an extension
 */
export function certificateDetails(certificate: X509Certificate): CertificateDetails {
  const known = read.get(certificate);
  if (known) return known;
  const details = parse(certificate.raw);
  read.set(certificate, details);
  return details;
}

const read = new WeakMap<X509Certificate, CertificateDetails>();

/** Returns the values of all attributes of a given type in a certificate's subject, in order. */
export function subjectValues(certificate: X509Certificate, type: string): string[] {
  return certificateDetails(certificate)
    .subject.filter((attribute) => attribute.type === type)
    .map(({ value }) => value);
}

/** Returns the last common name in a certificate's subject, as Go does, or `""` if there is none. */
export const commonNameOf = (certificate: X509Certificate): string =>
  subjectValues(certificate, attributeTypes.commonName).at(-1) ?? "";

function parse(raw: Buffer): CertificateDetails {
  const [body] = childrenOf(only(readDer(raw), "certificate"));
  const parts = childrenOf(body);
  const version = parts[0]?.tag === 0xa0 ? (childrenOf(parts.shift())[0]?.content[0] ?? 0) + 1 : 1;
  const [, algorithm, issuer, validity, subject] = parts;
  const [from, to] = childrenOf(validity);
  const [signatureAlgorithm] = childrenOf(algorithm);
  if (!issuer || !subject || !from || !to || !signatureAlgorithm) throw new Error("x509: malformed certificate");
  return {
    version,
    subject: nameAttributes(subject),
    subjectDer: subject.whole,
    issuerDer: issuer.whole,
    notBeforeMs: timeOf(from),
    notAfterMs: timeOf(to),
    signatureAlgorithm: identifierText(signatureAlgorithm),
    ...extensionsOf(parts.find(({ tag }) => tag === 0xa3)),
  };
}

/** Returns the attributes of a name. @throws {Error} if a value is not text */
export function nameAttributes(name: DerElement): NameAttribute[] {
  return childrenOf(name)
    .flatMap(childrenOf)
    .map((attribute) => {
      const [type, value] = childrenOf(attribute);
      if (!type || !value) throw new Error("x509: invalid RDNSequence: invalid attribute");
      return { type: identifierText(type), value: textOf(value) };
    });
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the text of an ASN.1 string. @see Go's crypto/x509 parseASN1String */
function textOf({ tag, content }: DerElement): string {
  switch (tag) {
    case 0x0c: // UTF8String
      return utf8.decode(content);
    case 0x12: // NumericString
      return matching(/^[0-9 ]*$/, content, "NumericString");
    case 0x13: // PrintableString; asterisks and ampersands are also permitted, because they occur in practice
      return matching(/^[A-Za-z0-9 '()+,\-./:=?*&]*$/, content, "PrintableString");
    case 0x14: // T61String: obsolete, and treated as bytes
      return content.toString("utf8");
    case 0x16: // IA5String
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
      return matching(/^[\x00-\x7f]*$/, content, "IA5String");
    case 0x1e: // BMPString
      if (content.length % 2 !== 0) throw new Error("x509: invalid BMPString");
      return Buffer.from(content)
        .swap16()
        .toString("utf16le")
        .replace(/(?<!\0)\0+$/, "");
    default:
      throw new Error(`x509: invalid RDNSequence: invalid attribute value: unsupported string type: ${tag}`);
  }
}

function matching(pattern: RegExp, content: Buffer, kind: string): string {
  const text = content.toString("latin1");
  if (!pattern.test(text)) throw new Error(`x509: invalid RDNSequence: invalid attribute value: invalid ${kind}`);
  return text;
}

/** Returns a time in milliseconds since 1970. The year of a `UTCTime` has two digits and is at most 2049. */
function timeOf({ tag, content }: DerElement): number {
  const text = content.toString("latin1");
  const whole = tag === 0x17 ? `${text < "50" ? "20" : "19"}${text}` : text;
  const [, date, hour, minute, second] = /^(\d{8})(\d\d)(\d\d)(\d\d)Z$/.exec(whole) ?? [];
  const day = date?.replace(/^(\d{4})(\d\d)/, "$1-$2-");
  const ms = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(ms)) throw new Error("x509: malformed validity");
  return ms;
}

type Extensions = Pick<
  CertificateDetails,
  | "basicConstraints"
  | "signsCertificates"
  | "extendedKeyUsages"
  | "hasAlternativeNames"
  | "hasNameConstraints"
  | "unhandledCritical"
>;

function extensionsOf(list: DerElement | undefined): Extensions {
  const found = new Map<string, DerElement>();
  const unhandledCritical: string[] = [];
  for (const extension of childrenOf(list).flatMap(childrenOf)) {
    const [type, ...rest] = childrenOf(extension);
    const value = rest.at(-1);
    if (!type || !value) throw new Error("x509: malformed extension");
    const name = identifierText(type);
    if (found.has(name)) throw new Error("x509: certificate contains duplicate extensions");
    found.set(name, only(readDer(value.content), "extension"));
    const isCritical = rest.length > 1 && rest[0]?.tag === 0x01 && rest[0].content[0] !== 0;
    if (isCritical && !handled.has(name)) unhandledCritical.push(name);
  }
  const constraints = found.get(extensionTypes.basicConstraints);
  const usage = found.get(extensionTypes.keyUsage);
  const extended = found.get(extensionTypes.extendedKeyUsage);
  return {
    unhandledCritical,
    hasAlternativeNames: found.has(extensionTypes.alternativeNames),
    hasNameConstraints: found.has(extensionTypes.nameConstraints),
    ...(constraints ? { basicConstraints: basicConstraintsOf(constraints) } : {}),
    ...(usage ? { signsCertificates: hasBit(usage, keyCertSign) } : {}),
    ...(extended ? { extendedKeyUsages: childrenOf(extended).map(identifierText) } : {}),
  };
}

function basicConstraintsOf(element: DerElement): BasicConstraints {
  const [ca, length] = ((parts) => (parts[0]?.tag === 0x01 ? parts : [undefined, ...parts]))(childrenOf(element));
  const isAuthority = ca !== undefined && ca.content[0] !== 0;
  if (length === undefined) return { ca: isAuthority };
  if (length.tag !== 0x02 || length.content.length === 0 || length.content.length > 4)
    throw new Error("x509: invalid basic constraints");
  const pathLength = length.content.readIntBE(0, length.content.length);
  if (pathLength < 0) throw new Error("x509: invalid basic constraints");
  return { ca: isAuthority, pathLength };
}

/** Reports whether a bit of a bit string is set. The string's first byte is the number of unused bits at its end. */
function hasBit({ content }: DerElement, bit: number): boolean {
  return ((content[1 + (bit >> 3)] ?? 0) & (0x80 >> (bit & 7))) !== 0;
}

function only(elements: readonly DerElement[], what: string): DerElement {
  const [element] = elements;
  if (!element || elements.length > 1) throw new Error(`x509: malformed ${what}`);
  return element;
}

/**
 * Reports whether two public keys are the same. Unlike `KeyObject.equals`, this function has no side effect if the keys
 * are of different types: `equals` leaves an error in OpenSSL's queue, which Node.js then reports on an unrelated TLS
 * connection.
 */
export function isSamePublicKey(one: KeyObject, other: KeyObject): boolean {
  const format = { type: "spki", format: "der" } as const;
  return one.export(format).equals(other.export(format));
}
