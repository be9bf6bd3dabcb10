import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { isAlreadyExists, isNotFound } from "@kubewright/apimachinery";
import { certificateBlocks, createCertificationRequest } from "@kubewright/certificates";
import { CertificateSigningRequest } from "@kubewright/client/kinds";
import { type Clock, systemClock } from "@kubewright/clock";
import { safeLogger, silentLogger } from "@kubewright/log";
import { injectBundle, isInjected, readTargets, releaseBundle } from "./ca-bundles.ts";
import type { CertificateSource, KeyPair } from "./certificate-source.ts";
import { type CertificatesDescription, certificatesDescription } from "./certificates-description.ts";
import { RefreshLoop } from "./refresh-loop.ts";
import type { SecretSourceOptions } from "./secret-certificates.ts";
import { type ReadSecret, SecretRecord } from "./secret-record.ts";
import { ServedPair } from "./served-pair.ts";
import { serverHosts } from "./server-hosts.ts";

/** Options for {@link csrCertificates}: the signer and the storage. */
export interface CsrCertificatesOptions extends SecretSourceOptions {
  readonly csr: {
    /** Name of the signer, such as `example.com/serving`. */
    readonly signerName: string;
    /** CA certificate of the signer, in PEM. A CertificateSigningRequest does not contain it. */
    readonly ca: string;
    /** Key usages to request. Default: `digital signature`, `key encipherment`, `server auth`. */
    readonly usages?: readonly string[] | undefined;
    /** Requested lifetime in seconds. The signer may issue a different one. Default: the signer's default. */
    readonly expirationSeconds?: number | undefined;
  };
  /** Interval between reads of the Secret and the request. Default 10,000 ms. */
  readonly intervalMs?: number | undefined;
}

const pendingKey = "pending.key";
const staleAfterMs = 30 * 60_000;

/**
 * Obtains a certificate from one of the cluster's signers: creates a CertificateSigningRequest for its own key, waits
 * for approval (`kubectl certificate approve`), and stores the result in the Secret. Requests a new certificate after
 * two thirds of the lifetime. The key is stored before the request is created, and the request's name is derived from
 * the key, so all replicas share one request, and a restarted program continues with it.
 *
 * @throws {Error} if an option is missing or not valid
 */
export const csrCertificates = (options: CsrCertificatesOptions): CertificateSource => new CsrCertificates(options);

class CsrCertificates implements CertificateSource {
  readonly caBundle: string;
  readonly #options: CsrCertificatesOptions;
  readonly #clock: Clock;
  readonly #hosts: readonly string[];
  readonly #secret: SecretRecord;
  readonly #served: ServedPair;
  readonly #loop: RefreshLoop;
  /** Last reported message about the request. */
  #lastReason = "";

  constructor(options: CsrCertificatesOptions) {
    const { client, secret, createSecret = false, clock = systemClock, metrics, csr, intervalMs = 10_000 } = options;
    const logger = safeLogger(options.logger ?? silentLogger);
    if (!/^[^/\s]+\/[^/\s]+$/.test(csr.signerName))
      throw new Error(
        `certificates.csr.signerName "${csr.signerName}": must be a domain and a name, such as "example.com/serving"`,
      );
    this.caBundle = certificateBlocks(csr.ca).join("");
    if (this.caBundle === "") throw new Error("certificates.csr.ca: must be the signer's certificate in PEM");
    this.#options = options;
    this.#clock = clock;
    this.#hosts = serverHosts(options);
    this.#secret = new SecretRecord(client, secret, createSecret);
    this.#served = new ServedPair(clock, logger, metrics);
    this.#loop = new RefreshLoop({
      clock,
      logger,
      intervalMs,
      staleAfterMs,
      what: `Secret ${secret}`,
      turn: (signal) => this.#turn(signal),
    });
  }

  get current(): KeyPair | undefined {
    return this.#served.current;
  }

  onChange(listener: (pair: KeyPair) => void): () => void {
    return this.#served.onChange(listener);
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  describe(): CertificatesDescription {
    return certificatesDescription(this.#secret, this.#options.targets, this.#options.service);
  }

  check(): void {
    this.#served.check(this.#loop.obstacle ?? (this.#lastReason || undefined));
  }

  async #turn(signal: AbortSignal): Promise<boolean> {
    const { client, targets = [] } = this.#options;
    const startedMs = this.#clock.monotonic();
    for (const target of await readTargets(client, typeof targets === "function" ? targets() : targets, signal))
      if (isInjected([target], this.caBundle)) await releaseBundle(client, target, signal);
      else await injectBundle(client, target, this.caBundle, signal);
    const secret = await this.#secret.read(signal);
    this.#loop.refreshed(startedMs);
    const [cert, key, pending] = ["tls.crt", "tls.key", pendingKey].map((name) => textIn(secret, name));
    const problem = this.#problemOf(cert ?? "", key ?? "");
    if (!problem) this.#served.serve({ cert: cert ?? "", key: key ?? "" });
    if (!problem && !this.#isOld(cert ?? "")) return false;
    if (!isKey(pending ?? "")) return this.#begin(secret, signal);
    return this.#ask(secret, pending ?? "", signal);
  }

  /** Stores the key before its first use. */
  async #begin(secret: ReadSecret, signal: AbortSignal): Promise<boolean> {
    const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "sec1", format: "pem" });
    await secret.write({ data: { [pendingKey]: base64(String(key)) }, annotations: {} }, signal);
    return true;
  }

  async #ask(secret: ReadSecret, key: string, signal: AbortSignal): Promise<boolean> {
    const { client, csr } = this.#options;
    const { signerName, usages = ["digital signature", "key encipherment", "server auth"], expirationSeconds } = csr;
    const name = `${this.#secret.namespace}-${this.#secret.name}-${fingerprint(key)}`.slice(-253);
    const found = await client.get(CertificateSigningRequest, name, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined; // controllers delete old requests: create it again with the same key
      throw error;
    });
    if (!found) {
      const [commonName = "webhook"] = this.#hosts;
      const request = base64(createCertificationRequest({ commonName, ...byForm(this.#hosts) }, createPrivateKey(key)));
      const spec = { request, signerName, usages: [...usages], ...(expirationSeconds ? { expirationSeconds } : {}) };
      await client
        .create(CertificateSigningRequest, { metadata: { name }, spec }, { signal })
        .catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
        });
      this.#report(
        secret,
        "Normal",
        "CertificateRequested",
        `waiting for approval: kubectl certificate approve ${name}`,
      );
      return false;
    }
    const { certificate, conditions = [] } = found.status ?? {};
    const refusal = conditions.find(({ type }) => type === "Denied" || type === "Failed");
    if (refusal) {
      // The request is created again only after it has been deleted. Otherwise, an approver who denies it would have to deny a new one
      // every ten seconds.
      this.#report(
        secret,
        "Warning",
        `Certificate${refusal.type}`,
        `${name} has the condition ${refusal.type}: ${refusal.message ?? refusal.reason ?? ""}; delete it to request a new certificate`,
      );
      return false;
    }
    if (!certificate) {
      this.#lastReason = `waiting for approval: kubectl certificate approve ${name}`;
      return false;
    }
    const cert = Buffer.from(certificate, "base64").toString("utf8");
    const problem = this.#problemOf(cert, key);
    if (problem) {
      this.#report(
        secret,
        "Warning",
        "CertificateUnusable",
        `the certificate issued for ${name} cannot be served: ${problem}; delete this CertificateSigningRequest to request a new certificate`,
      );
      return false;
    }
    const data = { "tls.crt": base64(cert), "tls.key": base64(key), "ca.crt": base64(this.caBundle), [pendingKey]: "" };
    if (await secret.write({ data, annotations: {} }, signal))
      this.#report(secret, "Normal", "CertificateIssued", `${signerName} signed ${name}`);
    return true;
  }

  /** Returns the reason why a pair cannot be served, or `undefined` if it can. */
  #problemOf(cert: string, key: string): string | undefined {
    const chain = certificateBlocks(cert)
      .slice(0, 10)
      .flatMap((pem) => certificateIn(pem) ?? []);
    const [leaf] = chain;
    if (!leaf || !isKey(key)) return "it is missing";
    if (!leaf.checkPrivateKey(createPrivateKey(key))) return "it was issued for a different key";
    if (Date.parse(leaf.validTo) <= this.#clock.now()) return `it expired at ${leaf.validTo}`;
    const missing = this.#hosts.filter(
      (host) => (isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host)) === undefined,
    );
    if (missing.length > 0) return `it lacks ${missing.join(", ")}`;
    const authorities = certificateBlocks(this.caBundle).map((pem) => new X509Certificate(pem));
    const isTrusted = chain.some((each) => authorities.some((ca) => each.checkIssued(ca) && each.verify(ca.publicKey)));
    return isTrusted ? undefined : "its issuer is not in certificates.csr.ca";
  }

  /** Reports whether two thirds of a certificate's lifetime have passed. */
  #isOld(cert: string): boolean {
    const leaf = new X509Certificate(cert);
    const [from, to] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
    return this.#clock.now() >= from + ((to - from) * 2) / 3;
  }

  #report({ reference }: ReadSecret, type: "Normal" | "Warning", reason: string, note: string): void {
    if (note === this.#lastReason) return;
    this.#lastReason = note;
    this.#options.logger?.[type === "Warning" ? "warn" : "info"]({ secret: this.#options.secret, reason }, note);
    this.#options.events?.event(reference, { type, reason, note });
  }
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const textIn = ({ data }: ReadSecret, name: string): string => Buffer.from(data[name] ?? "", "base64").toString("utf8");

const fingerprint = (key: string): string =>
  createHash("sha256")
    .update(createPublicKey(createPrivateKey(key)).export({ type: "spki", format: "der" }))
    .digest("hex")
    .slice(0, 12);

const byForm = (hosts: readonly string[]): { readonly dnsNames: string[]; readonly ipAddresses: string[] } => ({
  dnsNames: hosts.filter((host) => !isIP(host)),
  ipAddresses: hosts.filter((host) => isIP(host)),
});

function isKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).type === "private";
  } catch {
    return false; // a new one is created
  }
}

function certificateIn(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined; // it cannot be served
  }
}
