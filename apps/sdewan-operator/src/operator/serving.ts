import { CertificateAuthority } from "@kubewright/certificates";
import type { OperatorFlags } from "../cli/operator-flags.ts";
import { UserError } from "../cli/user-error.ts";
import type { OperatorOptions } from "./operator-options.ts";

type ServingFlags = Pick<
  OperatorFlags,
  "metricsSecure" | "metricsCertDir" | "webhookCertSecret" | "webhookCertDir" | "webhookPort"
>;

/** How the command line wants metrics and webhooks served. @throws {UserError} if it wants two certificates for one thing */
export function servingSettings(flags: ServingFlags): Pick<OperatorOptions, "metricsTls" | "webhooks"> {
  const { metricsSecure, metricsCertDir, webhookCertSecret, webhookCertDir, webhookPort: port } = flags;
  if (webhookCertSecret && webhookCertDir)
    throw new UserError("give one of --webhook-cert-secret and --webhook-cert-dir, not both");
  const tls = metricsCertDir ? { dir: metricsCertDir } : metricsSecure ? ownPair() : undefined;
  const certificates = webhookCertSecret
    ? { secret: webhookCertSecret }
    : webhookCertDir
      ? { dir: webhookCertDir }
      : undefined;
  return {
    ...(tls ? { metricsTls: tls } : {}),
    ...(certificates ? { webhooks: { port, certificates } } : {}),
  };
}

const yearsMs = 10 * 365 * 24 * 3_600_000;

/** That nobody can check, but that keeps tokens from being read on the way; gone with the process. */
function ownPair(): { readonly cert: string; readonly key: string } {
  const authority = new CertificateAuthority("sdewan-operator-metrics-ca", undefined, { lifetimeMs: yearsMs });
  const { certificate, key } = authority.issueServer("sdewan-operator-metrics", ["localhost"], {
    lifetimeMs: yearsMs,
  });
  return { cert: certificate, key };
}
