import { resolve } from "node:path";
import type { OperatorFlags } from "../cli/operator-flags.ts";
import { UserError } from "../cli/user-error.ts";
import type { OperatorOptions } from "./operator-options.ts";

type ServingFlags = Pick<
  OperatorFlags,
  "metricsSecure" | "metricsCertDir" | "webhookCertSecret" | "webhookCertDir" | "webhookClientCa" | "webhookPort"
>;

/**
 * Returns the metrics and webhook settings from the command line.
 *
 * @throws {UserError} if mutually exclusive flags are set
 */
export function servingSettings(flags: ServingFlags): Pick<OperatorOptions, "metricsTls" | "webhooks"> {
  const {
    metricsSecure,
    metricsCertDir,
    webhookCertSecret,
    webhookCertDir,
    webhookClientCa,
    webhookPort: port,
  } = flags;
  if (webhookCertSecret && webhookCertDir)
    throw new UserError("use one of --webhook-cert-secret and --webhook-cert-dir, not both");
  const tls = metricsCertDir ? { dir: metricsCertDir } : metricsSecure ? "self-signed" : undefined;
  const certificates = webhookCertSecret
    ? { secret: webhookCertSecret }
    : webhookCertDir
      ? { dir: webhookCertDir }
      : undefined;
  if (webhookClientCa !== undefined && !certificates)
    throw new UserError(
      `--webhook-client-ca ${webhookClientCa}: no webhooks are served; add --webhook-cert-secret or --webhook-cert-dir`,
    );
  const callers = webhookClientCa === undefined ? {} : { clientCaFile: resolve(webhookClientCa) };
  return {
    ...(tls ? { metricsTls: tls } : {}),
    ...(certificates ? { webhooks: { port, certificates, ...callers } } : {}),
  };
}
