import { CertificateAuthority } from "@kubewright/certificates";
import { type Clock, systemClock, untilAborted } from "@kubewright/clock";
import { silentLogger } from "@kubewright/log";
import type { CertificateMetrics } from "../certificates/certificate-reports.ts";
import type { CertificateSource, KeyPair } from "../certificates/certificate-source.ts";
import { ServedPair } from "../certificates/served-pair.ts";

/** Options for {@link localCertificates}. */
export interface LocalCertificatesOptions {
  /** Names and addresses that the cluster uses to call this machine; see `findLocalHost`. */
  readonly hosts: readonly string[];
  readonly clock?: Clock | undefined;
  readonly metrics?: CertificateMetrics | undefined;
}

const lifetimeMs = 30 * 24 * 3_600_000;

/**
 * Issues a certificate for a program that runs on a developer's machine and is called through a `url`. The CA exists
 * only in memory.
 *
 * @throws {Error} if there are no hosts, or one of them is not valid
 */
export function localCertificates({
  hosts,
  clock = systemClock,
  metrics,
}: LocalCertificatesOptions): CertificateSource {
  const authority = new CertificateAuthority("kubewright-local-ca", undefined, { lifetimeMs, nowMs: clock.now });
  const { certificate, key } = authority.issueServer("kubewright-local", hosts, { lifetimeMs });
  const served = new ServedPair(clock, silentLogger, metrics);
  served.serve({ cert: certificate, key });
  return {
    get current(): KeyPair | undefined {
      return served.current;
    },
    caBundle: authority.certificate,
    onChange: (listener) => served.onChange(listener),
    run: untilAborted,
    check: () => served.check(undefined),
  };
}
