import { isRecord } from "@kubewright/apimachinery";

const untrusted = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_SIGNATURE_FAILURE",
  "INVALID_CA",
]);

/**
 * Returns the message for an error below the HTTP level. Uses upstream's messages for errors that programs recognize
 * while they wait for a webhook, and Node's messages for all others.
 */
export function transportErrorText(error: unknown): string {
  const failure = firstOf(error);
  if (!(failure instanceof Error)) return String(failure);
  const { code = "", address, port } = failure as ErrorDetails;
  if (code === "ECONNREFUSED" && address !== undefined)
    return `dial tcp ${address.includes(":") ? `[${address}]` : address}:${port ?? 0}: connect: connection refused`;
  if (untrusted.has(code)) return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return "tls: failed to verify certificate: x509: certificate has expired or is not yet valid";
  return failure.message;
}

interface ErrorDetails {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
}

/** Returns the error to report. If several addresses were tried, this is the error for the first one. */
function firstOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return firstOf(error.errors[0]);
  if (error instanceof Error && isRecord(error.cause) && !("code" in error)) return firstOf(error.cause);
  return error;
}
