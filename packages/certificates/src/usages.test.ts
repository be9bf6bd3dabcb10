import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CertificateAuthority } from "./certificate-authority.ts";
import { parseCertificationRequest } from "./certification-request.ts";
import { createCertificationRequest } from "./create-certification-request.ts";
import { certificateAuthority } from "./kept-authority.ts";
import { signCertificationRequest } from "./sign-certification-request.ts";

const authority = new CertificateAuthority("ca").export();
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const hour = 3_600_000;

function signed(usages: readonly string[]): X509Certificate {
  const request = parseCertificationRequest(createCertificationRequest({ commonName: "jane" }, ec));
  const start = Math.floor(Date.now() / 1_000) * 1_000;
  return new X509Certificate(
    signCertificationRequest(authority, request, { usages, notBeforeMs: start, notAfterMs: start + hour }),
  );
}

/** Returns the bits of the key usage extension as encoded in the certificate: critical, an octet string, a bit string. */
function usageBits(certificate: X509Certificate): string | undefined {
  const after = certificate.raw.toString("hex").split("0603551d0f0101ff04")[1];
  return after?.slice(2, 2 + 2 * Number.parseInt(after.slice(0, 2), 16));
}

/** @see crypto/x509 KeyUsage; ITU-T X.509 8.2.2.3 */
it.each([
  [["signing"], "03020780"],
  [["digital signature"], "03020780"],
  [["content commitment"], "03020640"],
  [["key encipherment"], "03020520"],
  [["data encipherment"], "03020410"],
  [["key agreement"], "03020308"],
  [["cert sign"], "03020204"],
  [["crl sign"], "03020102"],
  [["encipher only"], "03020001"],
  [["decipher only"], "0303070080"],
  [["decipher only", "digital signature"], "0303078080"],
  [["key encipherment", "digital signature", "server auth"], "030205a0"],
  [["digital signature", "key agreement"], "03020388"],
  [["server auth"], undefined],
])("usages %j are the bits %s", (usages, bits) => {
  expect(usageBits(signed(usages))).toBe(bits);
});

/** @see crypto/x509 ExtKeyUsage */
it.each([
  ["any", "2.5.29.37.0"],
  ["server auth", "1.3.6.1.5.5.7.3.1"],
  ["client auth", "1.3.6.1.5.5.7.3.2"],
  ["code signing", "1.3.6.1.5.5.7.3.3"],
  ["email protection", "1.3.6.1.5.5.7.3.4"],
  ["s/mime", "1.3.6.1.5.5.7.3.4"],
  ["ipsec end system", "1.3.6.1.5.5.7.3.5"],
  ["ipsec tunnel", "1.3.6.1.5.5.7.3.6"],
  ["ipsec user", "1.3.6.1.5.5.7.3.7"],
  ["timestamping", "1.3.6.1.5.5.7.3.8"],
  ["ocsp signing", "1.3.6.1.5.5.7.3.9"],
  ["microsoft sgc", "1.3.6.1.4.1.311.10.3.3"],
  ["netscape sgc", "2.16.840.1.113730.4.1"],
])("usage %s is %s", (usage, identifier) => {
  expect(signed([usage]).keyUsage).toEqual([identifier]);
});

it("equivalent usages are listed once, and unknown ones not at all", () => {
  expect(signed(["client auth", "s/mime", "email protection", "x", "toString"]).keyUsage).toEqual([
    "1.3.6.1.5.5.7.3.2",
    "1.3.6.1.5.5.7.3.4",
  ]);
  expect(signed([]).keyUsage).toBeUndefined();
});

it.each([
  [0, 0, "the certificate would expire before it becomes valid"],
  [10 * 365 * 24 * hour * 100, 10 * 365 * 24 * hour * 101, "the signer has expired: NotAfter="],
])("signs nothing from %i to %i", (from, to, message) => {
  const request = parseCertificationRequest(createCertificationRequest({ commonName: "jane" }, ec));
  const now = Date.now();
  const options = { usages: [], notBeforeMs: now + from, notAfterMs: now + to };
  expect(() => signCertificationRequest(authority, request, options)).toThrow(message);
});

it("signs nothing with its own name, and nothing beyond its own expiry", () => {
  const own = parseCertificationRequest(createCertificationRequest({ commonName: "ca" }, ec));
  const [notBeforeMs, notAfterMs] = [Date.now(), Date.now() + 1_000 * 365 * 24 * hour];
  const options = { usages: [], notBeforeMs, notAfterMs };
  expect(() => signCertificationRequest(authority, own, options)).toThrow(
    "the request is for the authority's own name",
  );
  const jane = parseCertificationRequest(createCertificationRequest({ commonName: "jane" }, ec));
  const certificate = new X509Certificate(signCertificationRequest(authority, jane, options));
  expect(certificate.validTo).toBe(new X509Certificate(authority.certificate).validTo);
});

it("a request contains its signature algorithm: without parameters for EC, with NULL for RSA", () => {
  const derOf = (pem: string): string => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ""), "base64").toString("hex");
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
  expect(derOf(createCertificationRequest({ commonName: "jane" }, rsa))).toContain("300d06092a864886f70d01010b050003");
  expect(derOf(createCertificationRequest({ commonName: "jane" }, ec))).toContain("300a06082a8648ce3d04030203");
  const other = generateKeyPairSync("ed25519").privateKey;
  expect(() => createCertificationRequest({ commonName: "jane" }, other)).toThrow(
    "cannot sign a request with a key of type ed25519",
  );
});

it("an authority is stored in its directory, its key readable only by its owner, and recreated only if a file is missing", () => {
  const folder = mkdtempSync(join(tmpdir(), "authority-"));
  try {
    const made = certificateAuthority("ca", join(folder, "deep"));
    const path = (end: string): string => join(folder, "deep", `ca.${end}`);
    expect(certificateAuthority("ca", join(folder, "deep")).certificate).toBe(made.certificate);
    expect([statSync(path("key")).mode & 0o777, statSync(path("crt")).mode & 0o777]).toEqual([0o600, 0o644]);
    expect(statSync(join(folder, "deep")).mode & 0o777).toBe(0o700);
    expect(readFileSync(path("crt"), "utf8")).toBe(made.certificate);
    writeFileSync(path("key"), "nothing");
    expect(() => certificateAuthority("ca", join(folder, "deep"))).toThrow(
      `${path("crt")} and ${path("key")} do not contain a usable authority: `,
    );
    expect(() => certificateAuthority("ca", join(folder, "deep"))).toThrow(
      /authority: \S.*; remove both to create a new one$/s,
    );
    rmSync(path("key"));
    expect(certificateAuthority("ca", join(folder, "deep")).certificate).not.toBe(made.certificate);
    expect(certificateAuthority("ca", undefined).certificate).not.toBe(
      certificateAuthority("ca", undefined).certificate,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
