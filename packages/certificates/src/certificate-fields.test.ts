import { generateKeyPairSync, verify, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { describe, expect, it } from "vitest";
import { CertificateAuthority } from "./certificate-authority.ts";
import { certificateDetails } from "./certificate-details.ts";
import { parseCertificationRequest } from "./certification-request.ts";
import { createCertificationRequest } from "./create-certification-request.ts";
import { childrenOf, type DerElement, identifierText, pemBody, readDer } from "./der-reader.ts";
import { emptyRevocationList } from "./empty-revocation-list.ts";
import { serialNumber } from "./pem-certificate.ts";
import { signCertificationRequest } from "./sign-certification-request.ts";
import { commonName, testCertificate } from "./testing/index.ts";

const dayMs = 24 * 3_600_000;
const now = Date.UTC(2026, 0, 1);
const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const authority = new CertificateAuthority("ca", undefined, { nowMs: () => now });
const keyId = Buffer.from("010203", "hex");
const keptPair = testCertificate({
  subject: [commonName("kept")],
  ca: true,
  keyUsage: [5],
  notBeforeMs: now - dayMs,
  notAfterMs: now + 400 * dayMs,
  extensions: [["2.5.29.14", Buffer.concat([Buffer.from([4, keyId.length]), keyId])]],
});
const kept = new CertificateAuthority("kept", keptPair, { nowMs: () => now });
const nameless = { ...testCertificate({ subject: [commonName("nameless")], ca: true, keyUsage: [5] }) };

const requested = parseCertificationRequest(
  createCertificationRequest({ commonName: "jane", dnsNames: ["a.example"], ipAddresses: ["10.0.0.1"] }, key),
);
const signed = signCertificationRequest(keptPair, requested, {
  usages: ["digital signature", "client auth"],
  notBeforeMs: now,
  notAfterMs: now + dayMs,
});

/** Returns the parts of a signed object: body, algorithm, signature. */
function partsOf(pem: string, type = "CERTIFICATE") {
  const [whole, ...more] = readDer(pemBody(pem, type) ?? Buffer.alloc(0));
  const [body, algorithm, signature, ...rest] = childrenOf(whole);
  if (!body || !algorithm || !signature) throw new Error("want body, algorithm and signature");
  expect([more, rest]).toEqual([[], []]);
  return { body, algorithm, signature, fields: childrenOf(body) };
}

/** Returns extensions by identifier, critical ones with an exclamation mark, with their values in hex. */
function extensionsOf(fields: readonly DerElement[]): Record<string, string> {
  const list = childrenOf(fields.find(({ tag }) => tag === 0xa3)).flatMap(childrenOf);
  return Object.fromEntries(
    list.map((extension) => {
      const [type, ...rest] = childrenOf(extension);
      const mark = rest.length > 1 ? "!" : "";
      return [`${type && identifierText(type)}${mark}`, rest.at(-1)?.content.toString("hex") ?? ""];
    }),
  );
}

const ownKeyId = extensionsOf(partsOf(authority.certificate).fields)["2.5.29.14"]?.slice(4) ?? "";

/** @see RFC 5280 4.1 and 4.2 */
describe.each([
  {
    what: "an authority's certificate",
    pem: authority.certificate,
    issuer: authority.certificate,
    from: now - 3_600_000,
    to: now + 3_650 * dayMs,
    extensions: { "2.5.29.19!": "30030101ff", "2.5.29.15!": "030202a4", "2.5.29.14": `0414${ownKeyId}` },
  },
  {
    what: "a server's",
    pem: authority.issueServer("s", ["x.example", "10.0.0.1"]).certificate,
    issuer: authority.certificate,
    from: now - 3_600_000,
    to: now + 365 * dayMs,
    extensions: {
      "2.5.29.19!": "3000",
      "2.5.29.15!": "030205a0",
      "2.5.29.37": "300a06082b06010505070301",
      "2.5.29.35": `30168014${ownKeyId}`,
      "2.5.29.17": `30118209${Buffer.from("x.example").toString("hex")}87040a000001`,
    },
  },
  {
    what: "a user's, of an authority that was kept",
    pem: kept.issueClient({ commonName: "jane" }).certificate,
    issuer: keptPair.certificate,
    from: now - 3_600_000,
    to: now + 365 * dayMs,
    extensions: {
      "2.5.29.19!": "3000",
      "2.5.29.15!": "030205a0",
      "2.5.29.37": "300a06082b06010505070302",
      "2.5.29.35": "30058003010203",
    },
  },
  {
    what: "one that was asked for",
    pem: signed,
    issuer: keptPair.certificate,
    from: now,
    to: now + dayMs,
    extensions: {
      "2.5.29.15!": "03020780",
      "2.5.29.37": "300a06082b06010505070302",
      "2.5.29.19!": "3000",
      "2.5.29.35": "30058003010203",
      "2.5.29.17": `30118209${Buffer.from("a.example").toString("hex")}87040a000001`,
    },
  },
])("$what", ({ pem, issuer, from, to, extensions }) => {
  const { body, algorithm, signature, fields } = partsOf(pem);
  const [version, serial, inner, issuerName] = fields;
  const by = new X509Certificate(issuer);

  it("has version 3, which is encoded as 2", () => {
    expect(version?.whole.toString("hex")).toBe("a003020102");
    expect(certificateDetails(new X509Certificate(pem)).version).toBe(3);
  });

  it("has a positive serial number of at most 20 bytes", () => {
    expect(serial?.tag).toBe(0x02);
    expect(serial?.content.length).toBe(16);
    expect(serial?.content[0]).toSatisfy((first: number) => first > 0 && first < 0x80);
  });

  it("contains the same algorithm twice, with which its issuer signed it", () => {
    expect(inner?.whole.equals(algorithm.whole)).toBe(true);
    expect(algorithm.whole.toString("hex")).toBe("300a06082a8648ce3d040302");
    expect(signature.content[0]).toBe(0);
    expect(verify("sha256", body.whole, by.publicKey, signature.content.subarray(1))).toBe(true);
  });

  it("has the issuer's name, and the right validity", () => {
    const details = certificateDetails(new X509Certificate(pem));
    expect(issuerName?.whole.equals(certificateDetails(by).subjectDer)).toBe(true);
    expect([details.notBeforeMs, details.notAfterMs]).toEqual([from, to]);
  });

  it("has these extensions", () => {
    expect(extensionsOf(fields)).toEqual(extensions);
  });
});

it("has no authority key identifier if the issuer's certificate has none for its key", () => {
  const leaf = new CertificateAuthority("nameless", nameless).issueClient({ commonName: "jane" }).certificate;
  expect(extensionsOf(partsOf(leaf).fields)).not.toHaveProperty(["2.5.29.35"]);
});

it("serial numbers are positive, of one length, and unique", () => {
  const numbers = Array.from({ length: 300 }, serialNumber);
  expect(numbers.every((each) => each.length === 16 && (each[0] ?? 0) > 0 && (each[0] ?? 0) < 0x80)).toBe(true);
  expect(new Set(numbers.map((each) => each.toString("hex"))).size).toBe(300);
});

it.each([
  [1_000, true],
  [999, false],
  [Date.UTC(10_000, 0, 1) - now - 1_000, true],
  [Date.UTC(10_000, 0, 1) - now, false],
  [Date.UTC(9_999, 11, 31) - 1, false],
])("creates an authority of %i ms: %s", (lifetimeMs, isMade) => {
  const make = () => new CertificateAuthority("ca", undefined, { lifetimeMs, nowMs: () => now });
  if (!isMade)
    return expect(make).toThrow("lifetimeMs must be at least 1000 (one second) and end before the year 10000");
  return expect(certificateDetails(new X509Certificate(make().certificate)).notAfterMs).toBe(now + lifetimeMs);
});

/** @see RFC 5280 5.1 */
it("a revocation list has version 2, which is encoded as 1, and revokes nothing", () => {
  const pem = emptyRevocationList();
  const { algorithm, signature, fields } = partsOf(pem, "X509 CRL");
  const [version, inner, issuer, thisUpdate, ...rest] = fields;
  expect(version?.whole.toString("hex")).toBe("020101");
  expect(inner?.whole.equals(algorithm.whole)).toBe(true);
  expect(algorithm.whole.toString("hex")).toBe("300a06082a8648ce3d040302");
  expect(issuer?.whole.toString("hex")).toBe(`3011310f300d06035504030c06${Buffer.from("nobody").toString("hex")}`);
  expect(thisUpdate?.tag).toBe(0x17);
  expect(rest).toEqual([]);
  expect(signature.content.subarray(0, 2).toString("hex")).toBe("0030");
  expect(() => createSecureContext({ crl: pem })).not.toThrow();
});

/** @see RFC 2986 4.1 */
it("a request has version 1, which is encoded as 0", () => {
  const { fields } = partsOf(createCertificationRequest({ commonName: "jane" }, key), "CERTIFICATE REQUEST");
  expect(fields.map(({ tag }) => tag)).toEqual([0x02, 0x30, 0x30, 0xa0]);
  expect(fields[0]?.whole.toString("hex")).toBe("020100");
  expect(fields[3]?.content.length).toBe(0);
});
