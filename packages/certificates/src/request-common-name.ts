import { parseCertificationRequest } from "./certification-request.ts";

/** Returns the common name in the `spec.request` of a CertificateSigningRequest, or `undefined` if the field does not contain a request. */
export function commonNameOfRequest(request: unknown): string | undefined {
  if (typeof request !== "string") return undefined;
  try {
    return parseCertificationRequest(Buffer.from(request, "base64").toString("utf8")).commonName;
  } catch {
    return undefined;
  }
}
