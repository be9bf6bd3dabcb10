/** OpenSSL's words for a chain that ends at nobody who is trusted. */
const untrusted = new Set([
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/**
 * Why a certificate was not taken, in words that say where to look; undefined if something else went wrong. Node's own words
 * name options of Node, which cannot help here.
 *
 * @param hasBundle whether the authorities to trust were given, as opposed to those of the system
 */
export function tlsReasonOf(error: unknown, hasBundle: boolean): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  if (untrusted.has(error.code)) {
    const whom = hasBundle ? "in the given CA bundle" : "that this system trusts";
    return `its certificate is not signed by an authority ${whom} (${error.code})`;
  }
  if (error.code === "CERT_HAS_EXPIRED") return "its certificate has expired";
  if (error.code === "CERT_NOT_YET_VALID") return "its certificate is not valid yet";
  if (error.code === "ERR_TLS_CERT_ALTNAME_INVALID") return `its certificate is for another host (${error.message})`;
  return undefined;
}
