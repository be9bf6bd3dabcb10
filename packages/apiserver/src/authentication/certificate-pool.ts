import { X509Certificate } from "node:crypto";

const clientAuthUsage = "1.3.6.1.5.5.7.3.2";
const anyUsage = "2.5.29.37.0";

/** A certificate that no authority of a pool vouches for, or that is not meant for clients. Messages are Go's. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";
}

/** The certificates of a PEM text. @throws {CertificateError} where there is none */
export function certificatesOfPem(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new CertificateError("data does not contain any valid RSA or ECDSA certificates");
  return blocks.map((block) => new X509Certificate(block));
}

/** Authorities that client certificates are judged by. @see Go's crypto/x509 CertPool, Certificate.Verify */
export class CertificatePool {
  readonly #roots: readonly X509Certificate[];

  constructor(roots: readonly X509Certificate[]) {
    this.#roots = roots;
  }

  /** PEM, for TLS to name to clients. */
  get pem(): readonly string[] {
    return this.#roots.map(String);
  }

  /** @throws {CertificateError} unless a chain leads from the client's certificate to one of the authorities */
  verifyClient(chain: readonly X509Certificate[], nowMs: number): void {
    const [leaf, ...intermediates] = chain;
    if (!leaf) throw new CertificateError("x509: no certificate");
    checkTime(leaf, nowMs);
    if (!this.#isVouchedFor(leaf, intermediates, nowMs))
      throw new CertificateError("x509: certificate signed by unknown authority");
    const usages = leaf.keyUsage ?? [];
    if (usages.length > 0 && !usages.includes(clientAuthUsage) && !usages.includes(anyUsage))
      throw new CertificateError("x509: certificate specifies an incompatible key usage");
  }

  #isVouchedFor(certificate: X509Certificate, others: readonly X509Certificate[], nowMs: number): boolean {
    if (this.#roots.some((root) => root.raw.equals(certificate.raw) || isIssuer(root, certificate, nowMs))) return true;
    return others.some(
      (other, i) =>
        other.ca &&
        isIssuer(other, certificate, nowMs) &&
        this.#isVouchedFor(
          other,
          others.filter((_, j) => j !== i),
          nowMs,
        ),
    );
  }
}

function isIssuer(issuer: X509Certificate, certificate: X509Certificate, nowMs: number): boolean {
  if (nowMs < Date.parse(issuer.validFrom) || nowMs > Date.parse(issuer.validTo)) return false;
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function checkTime({ validFrom, validTo }: X509Certificate, nowMs: number): void {
  const shown = (ms: number): string =>
    new Date(ms)
      .toISOString()
      .replace(".000Z", "Z")
      .replace(/\.\d+Z$/, "Z");
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  const why =
    nowMs < from
      ? `current time ${shown(nowMs)} is before ${shown(from)}`
      : nowMs > to
        ? `current time ${shown(nowMs)} is after ${shown(to)}`
        : "";
  if (why !== "") throw new CertificateError(`x509: certificate has expired or is not yet valid: ${why}`);
}
