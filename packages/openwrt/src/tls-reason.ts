/** OpenSSL's error codes for a certificate chain that does not end in a trusted authority. */
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
 * Returns the reason why a certificate was rejected, with a hint, or undefined for other errors. Node's own messages
 * mention Node options, which does not help users of this client.
 *
 * @param hasBundle true if a CA bundle was given, false if the system's authorities are used
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
