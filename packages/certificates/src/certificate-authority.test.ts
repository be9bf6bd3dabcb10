import { createPrivateKey, X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { CertificateAuthority } from "./certificate-authority.ts";

describe("CertificateAuthority", () => {
  const ca = new CertificateAuthority("test-ca");
  const root = new X509Certificate(ca.certificate);

  it("signs itself as an authority", () => {
    expect(root.ca).toBe(true);
    expect(root.verify(root.publicKey)).toBe(true);
    expect(root.subject).toBe("CN=test-ca");
  });

  it("issues a server certificate for names and addresses", () => {
    const { certificate, key } = ca.issueServer("apiserver", ["localhost", "127.0.0.1", "::1"]);
    const leaf = new X509Certificate(certificate);
    expect(leaf.verify(root.publicKey)).toBe(true);
    expect(leaf.checkIssued(root)).toBe(true);
    expect(leaf.checkHost("localhost")).toBe("localhost");
    expect(leaf.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(leaf.checkIP("::1")).toBe("::1");
    expect(createPrivateKey(key).asymmetricKeyType).toBe("ec");
  });

  it("writes the key's type into its header, because Java clients treat a key without a type as RSA", () => {
    expect(ca.issueClient({ commonName: "jane" }).key).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
  });

  it("issues a user's certificate with groups as organizations", () => {
    const leaf = new X509Certificate(ca.issueClient({ commonName: "jane", organizations: ["dev", "ops"] }).certificate);
    expect(leaf.subject).toBe("O=dev\nO=ops\nCN=jane");
    expect(leaf.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  });
});
