import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CertWatcherMetrics } from "@kubewright/certificates";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { CaBundleTarget } from "./ca-bundles.ts";
import type { CertificateClient } from "./certificate-client.ts";
import type { CertificateEvents, CertificateMetrics } from "./certificate-reports.ts";
import { type CertificateSource, type KeyPair, staticCertificate } from "./certificate-source.ts";
import type { CertificateTimes } from "./certificate-times.ts";
import { type CsrCertificatesOptions, csrCertificates } from "./csr-certificates.ts";
import { type DirectoryCertificatesOptions, directoryCertificates } from "./directory-certificates.ts";
import { secretCertificates } from "./secret-certificates.ts";
import type { ServiceNames } from "./server-hosts.ts";

/** Settings for certificates stored in a Secret. */
export interface SecretOptions {
  /**
   * Secret that stores the certificate, as `namespace/name`. It must exist, but may be empty. Default in a pod: `webhook-server-cert` in
   * the pod's namespace.
   */
  readonly secret?: string | undefined;
  /**
   * Service through which API servers call the program. A name without a namespace refers to the Secret's namespace. Default
   * `webhook-service`.
   */
  readonly service?: string | ServiceNames["service"] | undefined;
  /** Additional names and addresses of the server. */
  readonly dnsNames?: readonly string[] | undefined;
  /** Prefix of the configurations' names, if they were created with `configurations({ name })`. Default: the service's name. */
  readonly name?: string | undefined;
  /** Configurations that must trust the certificate. Default: the configurations of the added webhooks. */
  readonly targets?: readonly CaBundleTarget[] | undefined;
  /** True to create a missing Secret, which requires permission to create Secrets. Default false. */
  readonly createSecret?: boolean | undefined;
  readonly times?: { readonly [K in keyof CertificateTimes]?: number | undefined } | undefined;
  /** One of the cluster's signers, to use instead of the program's own CA. */
  readonly csr?: CsrCertificatesOptions["csr"] | undefined;
}

/** Source of a webhook server's certificate: a Secret, a signer, a directory, a fixed certificate and key pair, or a custom source. */
export type CertificatesOption =
  | (SecretOptions & { readonly secret: NonNullable<SecretOptions["secret"]> })
  | (SecretOptions & { readonly csr: NonNullable<SecretOptions["csr"]> })
  | (Pick<DirectoryCertificatesOptions, "certName" | "keyName"> & { readonly dir: string })
  | (KeyPair & { readonly ca?: string | undefined })
  | CertificateSource;

/** Dependencies for certificate sources. */
export interface CertificateParts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Client that can write on every replica. Required for Secrets. */
  readonly client?: CertificateClient | undefined;
  readonly metrics?: (CertificateMetrics & CertWatcherMetrics) | undefined;
  readonly events?: CertificateEvents | undefined;
  /** Returns the current webhooks' configurations whose names have this prefix. */
  readonly targets: (name: string) => readonly CaBundleTarget[];
}

/** Creates the source for an option. @throws {Error} if an option is not valid, or the directory contains no certificate and key pair */
export function certificatesOf(option: CertificatesOption, parts: CertificateParts): CertificateSource {
  if ("run" in option) return option;
  if ("cert" in option) return staticCertificate({ ...option, clock: parts.clock });
  if ("dir" in option) return directoryCertificates({ ...option, ...parts });
  const { client, clock, logger, metrics, events } = parts;
  const { csr, targets, times, dnsNames, createSecret } = option;
  const secret = option.secret ?? secretOfThisPod();
  if (!client)
    throw new Error(
      "certificates in a Secret require a client: pass `certificateClient`, or add the webhooks to a manager",
    );
  const { service = "webhook-service" } = option;
  const named = typeof service === "string" ? { name: service, namespace: secret.split("/", 1)[0] ?? "" } : service;
  const settings = {
    ...{ secret, service: named, dnsNames, createSecret, client, clock, logger, metrics, events },
    targets: targets ?? (() => parts.targets(option.name ?? named.name)),
  };
  return csr ? csrCertificates({ ...settings, csr }) : secretCertificates({ ...settings, times });
}

const podFolder = "/var/run/secrets/kubernetes.io/serviceaccount";
/** Directory in which upstream looks for a mounted certificate. */
export const mountedFolder = "/tmp/k8s-webhook-server/serving-certs";

/**
 * Returns the default source: the certificate mounted where upstream looks for it or, in a pod, a certificate that the program issues
 * itself.
 *
 * @throws {Error} outside a pod, if no certificate is mounted
 */
export function usualCertificates({ mounted = mountedFolder, pod = podFolder } = {}): CertificatesOption {
  if (existsSync(join(mounted, "tls.crt"))) return { dir: mounted };
  if (existsSync(join(pod, "namespace"))) return { secret: secretOfThisPod(pod) };
  throw new Error(
    `webhooks are served over TLS: pass \`certificates\`, or \`tls\` with a certificate. This process does not run in a pod, and ${join(mounted, "tls.crt")} does not exist`,
  );
}

function secretOfThisPod(pod = podFolder): string {
  try {
    return `${readFileSync(join(pod, "namespace"), "utf8").trim()}/webhook-server-cert`;
  } catch (cause) {
    throw new Error(
      'this process does not run in a pod: pass `certificates.secret`, such as "shop-system/webhook-server-cert"',
      { cause },
    );
  }
}
