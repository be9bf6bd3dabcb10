import { generateKeyPairSync, type KeyObject, X509Certificate } from "node:crypto";
import { expect, it } from "vitest";
import { CertificateAuthority } from "./certificate-authority.ts";
import { parseCertificationRequest } from "./certification-request.ts";
import { createCertificationRequest } from "./create-certification-request.ts";
import { signCertificationRequest } from "./sign-certification-request.ts";

const ecKey = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const rsaKey = (): KeyObject => generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
const jane = { commonName: "jane", organizations: ["dev", "ops"], dnsNames: ["a.example"] };

/**
 * Output of `openssl req -new -newkey ed25519 -nodes -subj "/O=dev/O=ops/CN=jane" -addext
 * subjectAltName=DNS:a.example,IP:10.0.0.1,email:j@x.y`
 */
const fromOpenssl = `-----BEGIN CERTIFICATE REQUEST-----
MIHfMIGSAgEAMCsxDDAKBgNVBAoMA2RldjEMMAoGA1UECgwDb3BzMQ0wCwYDVQQD
DARqYW5lMCowBQYDK2VwAyEApwSpW9wi2UgD2bHlrAIAQBgLoQDFdrHVHT+5J7s/
uxegNDAyBgkqhkiG9w0BCQ4xJTAjMCEGA1UdEQQaMBiCCWEuZXhhbXBsZYcECgAA
AYEFakB4LnkwBQYDK2VwA0EAibWizc+eFaho76BASqRMw8knGwkYFSUl/XbwuFuB
guka9uG6a0ZgbFsvebJEdSp5pDMLcCDGuoxKeU9CbadwAg==
-----END CERTIFICATE REQUEST-----
`;

it("reads subject, names and signature of a request from another program", () => {
  const request = parseCertificationRequest(fromOpenssl);
  expect(request).toMatchObject({ ...jane, emailAddresses: ["j@x.y"], isSigned: true });
  expect([...(request.ipAddresses[0] ?? [])]).toEqual([10, 0, 0, 1]);
  expect(() => parseCertificationRequest("no")).toThrow("PEM block type must be CERTIFICATE REQUEST");
});

it.each([
  ["an EC key", ecKey],
  ["an RSA key", rsaKey],
])("signs a request with %s", (_, key) => {
  const authority = new CertificateAuthority("test-ca");
  const request = parseCertificationRequest(createCertificationRequest(jane, key()));
  expect(request).toMatchObject({ ...jane, isSigned: true });
  const start = Math.floor(Date.now() / 1_000) * 1_000;
  const pem = signCertificationRequest(authority.export(), request, {
    usages: ["digital signature", "key encipherment", "client auth"],
    notBeforeMs: start,
    notAfterMs: start + 3_600_000,
  });
  const certificate = new X509Certificate(pem);
  expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
  expect(certificate.subject).toBe("O=dev\nO=ops\nCN=jane");
  expect(certificate.subjectAltName).toBe("DNS:a.example");
  expect(certificate.ca).toBe(false);
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  expect(Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)).toBe(3_600_000);
});

it("rejects a request signed with another key", () => {
  const request = { ...parseCertificationRequest(createCertificationRequest(jane, ecKey())), isSigned: false };
  const options = { usages: [], notBeforeMs: 0, notAfterMs: 1 };
  expect(() => signCertificationRequest(new CertificateAuthority("ca").export(), request, options)).toThrow(
    "signature is invalid",
  );
});
