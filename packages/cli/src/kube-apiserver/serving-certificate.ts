import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CertificateAuthority } from "@kubewright/certificates";
import type { FlagValues } from "../flags/flag-values.ts";

export interface ServingCertificate {
  /** Certificate chain in PEM: the certificate, and its authorities' certificates. */
  readonly certificate: string;
  /** Private key in PEM. */
  readonly key: string;
}

/** Reads `--tls-cert-file` and `--tls-private-key-file`. Returns undefined if they were not given. */
export function certificateFiles(values: FlagValues): ServingCertificate | undefined {
  const [certificate, key] = [values.text("tls-cert-file"), values.text("tls-private-key-file")];
  if (certificate === "" && key === "") return undefined;
  if (certificate === "" || key === "") throw new Error("missing filename for serving cert");
  return { certificate: readFileSync(certificate, "utf8"), key: readFileSync(key, "utf8") };
}

/**
 * Reads `apiserver.crt` and `apiserver.key` from `--cert-dir`. If they are missing, issues a certificate for the host names and writes it
 * there.
 *
 * @see apiserver pkg/server/options SecureServingOptions.MaybeDefaultWithSelfSignedCerts
 */
export function certificateFolder(folder: string, hosts: readonly string[]): ServingCertificate {
  const paths = { certificate: join(folder, "apiserver.crt"), key: join(folder, "apiserver.key") };
  if (existsSync(paths.certificate) && existsSync(paths.key))
    return { certificate: readFileSync(paths.certificate, "utf8"), key: readFileSync(paths.key, "utf8") };
  const authority = new CertificateAuthority(`${hosts[0] ?? "localhost"}-ca`);
  const issued = authority.issueServer(hosts[0] ?? "localhost", hosts);
  const certificate = issued.certificate + authority.certificate;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(paths.certificate, certificate, { mode: 0o644 });
  writeFileSync(paths.key, issued.key, { mode: 0o600 });
  return { certificate, key: issued.key };
}
