import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CertWatcherMetrics } from "@kubewright/certificates";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { CaBundleTarget } from "./ca-bundles.ts";
import type { CertificateClient } from "./certificate-client.ts";
import type { CertificateEvents, CertificateMetrics } from "./certificate-reports.ts";
import type { CertificateSource, KeyPair } from "./certificate-source.ts";
import type { CertificateTimes } from "./certificate-times.ts";
import { type CsrCertificatesOptions, csrCertificates } from "./csr-certificates.ts";
import { type DirectoryCertificatesOptions, directoryCertificates } from "./directory-certificates.ts";
import { secretCertificates } from "./secret-certificates.ts";
import type { ServiceNames } from "./server-hosts.ts";
import { staticCertificate } from "./static-certificate.ts";

/** Certificates that are kept in a Secret. */
export interface SecretSettings {
  /** `namespace/name`. It must be there; an empty one is filled. Default in a pod: `webhook-server-cert` in the pod's namespace. */
  readonly secret?: string | undefined;
  /** By which API servers call; a name alone is one in the Secret's namespace. Default `webhook-service`. */
  readonly service?: string | ServiceNames["service"];
  /** Further names and addresses of the server. */
  readonly dnsNames?: readonly string[] | undefined;
  /** What the names of the configurations begin with, where they were made with `configurations({ name })`. Default: the service's. */
  readonly name?: string | undefined;
  /** Configurations that are to trust the certificate. Default: those of the webhooks that were added. */
  readonly targets?: readonly CaBundleTarget[] | undefined;
  /** Make the Secret where it is missing, which needs a role that may create Secrets. Default false. */
  readonly createSecret?: boolean | undefined;
  readonly times?: { readonly [K in keyof CertificateTimes]?: number | undefined } | undefined;
  /** Have a signer of the cluster sign it, not an authority of the program's own. */
  readonly csr?: CsrCertificatesOptions["csr"] | undefined;
}

type Given<T, K extends keyof T> = T & { readonly [P in K]-?: NonNullable<T[P]> };

/** Where the certificate of a server of webhooks comes from: a Secret, a signer, a folder, a pair, or a source of one's own. */
export type CertificatesOption =
  | Given<SecretSettings, "secret">
  | Given<SecretSettings, "csr">
  | Given<Pick<DirectoryCertificatesOptions, "dir" | "certName" | "keyName">, "dir">
  | (KeyPair & { readonly ca?: string | undefined })
  | CertificateSource;

/** What sources work with and report to. */
export interface CertificateParts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** One that writes on every replica. Needed for Secrets. */
  readonly client?: CertificateClient | undefined;
  readonly metrics?: (CertificateMetrics & CertWatcherMetrics) | undefined;
  readonly events?: CertificateEvents | undefined;
  /** The configurations of the webhooks there are, if their names begin so. */
  readonly targets: (name: string) => readonly CaBundleTarget[];
}

/** @throws {Error} if an option is not what it should be, or there is no pair in the folder */
export function certificatesOf(option: CertificatesOption, parts: CertificateParts): CertificateSource {
  if ("run" in option) return option;
  if ("cert" in option) return staticCertificate({ ...option, clock: parts.clock });
  if ("dir" in option) return directoryCertificates({ ...option, ...parts });
  const { client, clock, logger, metrics, events } = parts;
  const { csr, targets, times, dnsNames, createSecret } = option;
  const secret = option.secret ?? secretOfThisPod();
  if (!client)
    throw new Error(
      "certificates in a Secret need a client: give `certificateClient`, or add the webhooks to a manager",
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
/** Where upstream looks. */
export const mountedFolder = "/tmp/k8s-webhook-server/serving-certs";

/**
 * What is served where nobody says: what is mounted where upstream looks, else, in a pod, a certificate of the program's own.
 *
 * @throws {Error} if this is no pod, and nothing is mounted
 */
export function usualCertificates({ mounted = mountedFolder, pod = podFolder } = {}): CertificatesOption {
  if (existsSync(join(mounted, "tls.crt"))) return { dir: mounted };
  if (existsSync(join(pod, "namespace"))) return { secret: secretOfThisPod(pod) };
  throw new Error(
    `webhooks are served over TLS: give \`certificates\`, or \`tls\` with a certificate. This is no pod, and there is no ${join(mounted, "tls.crt")}`,
  );
}

function secretOfThisPod(pod = podFolder): string {
  try {
    return `${readFileSync(join(pod, "namespace"), "utf8").trim()}/webhook-server-cert`;
  } catch (cause) {
    throw new Error('this is no pod: give `certificates.secret`, such as "shop-system/webhook-server-cert"', { cause });
  }
}
