import type { SecureVersion } from "node:tls";
import { quote } from "@kubewright/apimachinery";
import type { FlagValues } from "../flags/flag-values.ts";

const versions: Readonly<Record<string, SecureVersion>> = {
  VersionTLS10: "TLSv1",
  VersionTLS11: "TLSv1.1",
  VersionTLS12: "TLSv1.2",
  VersionTLS13: "TLSv1.3",
};

/** OpenSSL's names for Go's cipher suites. */
const suites: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: "ECDHE-ECDSA-AES128-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: "ECDHE-ECDSA-AES128-GCM-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: "ECDHE-ECDSA-AES256-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: "ECDHE-ECDSA-AES256-GCM-SHA384",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: "ECDHE-RSA-AES128-SHA",
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: "ECDHE-RSA-AES128-GCM-SHA256",
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: "ECDHE-RSA-AES256-SHA",
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: "ECDHE-RSA-AES256-GCM-SHA384",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: "ECDHE-RSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-RSA-CHACHA20-POLY1305",
  TLS_RSA_WITH_AES_128_CBC_SHA: "AES128-SHA",
  TLS_RSA_WITH_AES_128_GCM_SHA256: "AES128-GCM-SHA256",
  TLS_RSA_WITH_AES_256_CBC_SHA: "AES256-SHA",
  TLS_RSA_WITH_AES_256_GCM_SHA384: "AES256-GCM-SHA384",
};
/** Cipher suites of TLS 1.3, which are always enabled, as in Go. */
const always: ReadonlySet<string> = new Set([
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
]);

/**
 * Returns the server's TLS options.
 *
 * @throws {Error} with kube-apiserver's message for unknown versions and cipher suites
 * @see component-base cli/flag/ciphersuites_flag.go
 */
export function tlsOptionsOf(values: FlagValues): { tlsMinVersion?: SecureVersion; tlsCipherSuites?: string[] } {
  const [minVersion, names] = [values.text("tls-min-version"), values.list("tls-cipher-suites")];
  const version = versions[minVersion];
  if (minVersion !== "" && !version) throw new Error(`unknown tls version ${quote(minVersion)}`);
  const unknown = names.find((name) => !suites[name] && !always.has(name));
  if (unknown !== undefined) throw new Error(`Cipher suite ${unknown} not supported or doesn't exist`);
  const chosen = names.map((name) => suites[name] ?? name);
  return {
    ...(version ? { tlsMinVersion: version } : {}),
    ...(chosen.length > 0 ? { tlsCipherSuites: [...new Set([...always, ...chosen])] } : {}),
  };
}
