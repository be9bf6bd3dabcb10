import { X509Certificate } from "node:crypto";
import { expect, it } from "vitest";
import { CertificateAuthority } from "./certificate-authority.ts";

it("runs the README's example", () => {
  const authority = new CertificateAuthority("example-ca");
  const { certificate } = authority.issueServer("shop", ["shop.default.svc", "127.0.0.1"]);

  expect(new X509Certificate(certificate).checkHost("shop.default.svc")).toBe("shop.default.svc");
  expect(new CertificateAuthority("example-ca", authority.export()).certificate).toBe(authority.certificate);
});
