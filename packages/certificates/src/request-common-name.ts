import { parseCertificationRequest } from "./certification-request.ts";

/** The common name that a CertificateSigningRequest's `spec.request` asks for; `undefined` for what is no request. */
export function commonNameOfRequest(request: unknown): string | undefined {
  if (typeof request !== "string") return undefined;
  try {
    return parseCertificationRequest(Buffer.from(request, "base64").toString("utf8")).commonName;
  } catch {
    return undefined;
  }
}
