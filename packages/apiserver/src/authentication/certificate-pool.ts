import { X509Certificate } from "node:crypto";
import { isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";
import { type CertificateDetails, certificateDetails, isSamePublicKey } from "@kubewright/certificates";

const clientAuthUsage = "1.3.6.1.5.5.7.3.2";
const anyUsage = "2.5.29.37.0";

/** OIDs of the accepted signature algorithms. SHA-1 and older algorithms are not secure. @see Go's crypto/x509 signatureAlgorithmDetails */
const trustedSignatures: ReadonlySet<string> = new Set([
  "1.2.840.113549.1.1.10", // RSA-PSS
  "1.2.840.113549.1.1.11", // RSA with SHA-256, 384, 512
  "1.2.840.113549.1.1.12",
  "1.2.840.113549.1.1.13",
  "1.2.840.10045.4.3.2", // ECDSA with SHA-256, 384, 512
  "1.2.840.10045.4.3.3",
  "1.2.840.10045.4.3.4",
  "1.3.101.112", // Ed25519
]);

/** Maximum number of signatures to check, which limits the work that a client can cause by sending many certificates. */
const maxSignatureChecks = 100;

/**
 * Thrown for a certificate that has no trusted issuer or is not permitted for clients. The messages are the same as in
 * Go.
 */
export class CertificateError extends KubewrightError {
  override readonly name = "CertificateError";
  readonly code = "ERR_CERTIFICATE";
}

/** Reports whether an error is a {@link CertificateError}. */
export const isCertificateError = isErrorWithCode<CertificateError>("ERR_CERTIFICATE");

/** Returns the certificates in a PEM string. @throws {CertificateError} if it contains no certificates */
export function certificatesOfPem(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----(?:(?!-----BEGIN)[\s\S])+?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new CertificateError("data does not contain any valid RSA or ECDSA certificates");
  return blocks.map((block) => new X509Certificate(block));
}

/**
 * Result of verifying a certificate chain. The result depends only on the time, so it remains valid for a certain
 * period.
 */
export interface ChainVerdict {
  /** Reason for the rejection; absent if the certificate has a valid chain to a CA. */
  readonly error?: CertificateError | undefined;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A pool of CAs with which client certificates are verified. @see Go's crypto/x509 CertPool, Certificate.Verify */
export class CertificatePool {
  readonly #roots: readonly X509Certificate[];

  constructor(roots: readonly X509Certificate[]) {
    this.#roots = roots;
  }

  /** The CAs in PEM format. During the TLS handshake, the server sends their names to clients. */
  get pem(): readonly string[] {
    return this.#roots.map(String);
  }

  /** Verifies a certificate chain that starts with the client's certificate, and returns the result. */
  judge(chain: readonly X509Certificate[], nowMs: number): ChainVerdict {
    let period = { fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };
    try {
      period = unchangedPeriod([...chain, ...this.#roots], nowMs);
      this.verifyClient(chain, nowMs);
      return period;
    } catch (error) {
      return { ...period, error: isCertificateError(error) ? error : new CertificateError(messageOf(error)) };
    }
  }

  /** Verifies a client's certificate. @throws {CertificateError} if it has no valid chain to one of the CAs */
  verifyClient(chain: readonly X509Certificate[], nowMs: number): void {
    const [leaf, ...intermediates] = chain;
    if (!leaf) throw new CertificateError("x509: no certificate");
    const why = whyUnfit(leaf, "client", [], nowMs);
    if (why !== undefined) throw new CertificateError(why);
    const search = new ChainSearch(this.#roots, intermediates, nowMs);
    if (!search.leadsFrom([leaf])) throw new CertificateError(search.refusal);
  }
}

/** Searches for a valid chain from a certificate to a CA. */
class ChainSearch {
  readonly #roots: readonly X509Certificate[];
  readonly #intermediates: readonly X509Certificate[];
  readonly #nowMs: number;
  #checks = 0;
  /** Reason why the last chain was rejected. */
  refusal = "x509: certificate signed by unknown authority";

  constructor(roots: readonly X509Certificate[], intermediates: readonly X509Certificate[], nowMs: number) {
    this.#roots = roots;
    this.#intermediates = intermediates;
    this.#nowMs = nowMs;
  }

  /**
   * Reports whether a partial chain can be continued up to a CA.
   *
   * @param chain from the client's certificate to the certificate whose issuer must be found
   */
  leadsFrom(chain: readonly X509Certificate[]): boolean {
    const last = chain.at(-1);
    if (!last) return false;
    if (this.#roots.some(({ raw }) => raw.equals(last.raw))) return this.#isForClients(chain);
    return (
      this.#roots.some((root) => this.#vouches(root, "root", chain) && this.#isForClients([...chain, root])) ||
      this.#intermediates.some(
        (other) =>
          !chain.some((link) => isSame(link, other)) &&
          this.#vouches(other, "intermediate", chain) &&
          this.leadsFrom([...chain, other]),
      )
    );
  }

  #vouches(issuer: X509Certificate, role: Role, chain: readonly X509Certificate[]): boolean {
    const child = chain.at(-1);
    if (!child) return false;
    const [childDetails, details] = [certificateDetails(child), certificateDetails(issuer)];
    if (!childDetails.issuerDer.equals(details.subjectDer)) return false;
    if (++this.#checks > maxSignatureChecks) {
      this.refusal = "x509: signature check attempts limit reached while verifying certificate chain";
      return false;
    }
    if (!maySign(details) || !trustedSignatures.has(childDetails.signatureAlgorithm)) return false;
    if (!child.verify(issuer.publicKey)) return false;
    const why = whyUnfit(issuer, role, chain, this.#nowMs);
    if (why !== undefined) this.refusal = why;
    return why === undefined;
  }

  /**
   * Reports whether a chain may be used for clients: each certificate with a list of permitted usages must permit client authentication.
   */
  #isForClients(chain: readonly X509Certificate[]): boolean {
    const isMeant = chain.every((link) => {
      const usages = certificateDetails(link).extendedKeyUsages;
      return usages === undefined || usages.includes(clientAuthUsage) || usages.includes(anyUsage);
    });
    if (!isMeant) this.refusal = "x509: certificate specifies an incompatible key usage";
    return isMeant;
  }
}

type Role = "client" | "intermediate" | "root";

/**
 * Reports whether a certificate may issue others. Certificates of version 3 specify whether they are CAs; older ones in a pool always count
 * as CAs.
 */
function maySign({ version, basicConstraints, signsCertificates }: CertificateDetails): boolean {
  const isAuthority = basicConstraints ? basicConstraints.ca : version < 3;
  return isAuthority && signsCertificates !== false;
}

/**
 * Returns the reason why a certificate cannot be the next issuer in a chain, or `undefined` if it can.
 *
 * @see Go's crypto/x509 Certificate.isValid
 */
function whyUnfit(
  certificate: X509Certificate,
  role: Role,
  chain: readonly X509Certificate[],
  nowMs: number,
): string | undefined {
  const details = certificateDetails(certificate);
  if (details.unhandledCritical.length > 0) return "x509: unhandled critical extension";
  const late = whyNotNow(details, nowMs);
  if (late !== undefined) return late;
  if (role === "client") return undefined;
  if (details.hasNameConstraints && chain.some((link) => certificateDetails(link).hasAlternativeNames))
    return "x509: name constraints of an authority are not supported for certificates with alternative names";
  if (role === "intermediate" && !details.basicConstraints?.ca)
    return "x509: certificate is not authorized to sign other certificates";
  const { pathLength } = details.basicConstraints ?? {};
  if (pathLength !== undefined && chain.length - 1 > pathLength)
    return "x509: too many intermediates for path length constraint";
  return undefined;
}

function whyNotNow({ notBeforeMs, notAfterMs }: CertificateDetails, nowMs: number): string | undefined {
  const shown = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
  const why =
    nowMs < notBeforeMs
      ? `current time ${shown(nowMs)} is before ${shown(notBeforeMs)}`
      : nowMs > notAfterMs
        ? `current time ${shown(nowMs)} is after ${shown(notAfterMs)}`
        : undefined;
  return why === undefined ? undefined : `x509: certificate has expired or is not yet valid: ${why}`;
}

/** Returns the period around the current time in which no certificate becomes valid or expires. */
function unchangedPeriod(certificates: readonly X509Certificate[], nowMs: number) {
  const instants = certificates.map(certificateDetails).flatMap(({ notBeforeMs, notAfterMs }) => [
    notBeforeMs,
    notAfterMs + 1, // a certificate is valid until the end of that millisecond
  ]);
  return {
    fromMs: Math.max(...instants.filter((ms) => ms <= nowMs)),
    untilMs: Math.min(...instants.filter((ms) => ms > nowMs)),
  };
}

const isSame = (a: X509Certificate, b: X509Certificate): boolean =>
  a.raw.equals(b.raw) ||
  (certificateDetails(a).subjectDer.equals(certificateDetails(b).subjectDer) &&
    isSamePublicKey(a.publicKey, b.publicKey));

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
