import type { DeepReadonly } from "@kubewright/apimachinery";
import type { CertificateSigningRequest } from "@kubewright/client/kinds";

export type Csr = DeepReadonly<CertificateSigningRequest>;

export const conditionOf = ({ status }: Csr, type: "Approved" | "Denied" | "Failed") =>
  status?.conditions?.find((condition) => condition.type === type);

export const isIssued = ({ status }: Csr): boolean => (status?.certificate ?? "") !== "";

/** Returns the certificate request in a CertificateSigningRequest, as PEM text. */
export const requestPem = ({ spec }: Csr): string => Buffer.from(spec.request, "base64").toString("utf8");

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each));

interface RequestNames {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly unknown[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
}

/**
 * Returns the reason why a request for a kubelet client certificate is not valid, or `undefined` if it is valid.
 *
 * @see kubernetes pkg/apis/certificates ValidateKubeletClientCSR
 */
export function kubeletClientComplaint(request: RequestNames, usages: readonly string[]): string | undefined {
  if (!same(request.organizations, ["system:nodes"])) return "subject organization is not system:nodes";
  if (request.dnsNames.length > 0) return "DNS subjectAltNames are not allowed";
  if (request.emailAddresses.length > 0) return "Email subjectAltNames are not allowed";
  if (request.ipAddresses.length > 0) return "IP subjectAltNames are not allowed";
  if (request.uris.length > 0) return "URI subjectAltNames are not allowed";
  if (!request.commonName.startsWith("system:node:")) return "subject common name does not begin with system:node:";
  return usageError(usages, "client auth");
}

/**
 * Returns the reason why a request for a kubelet serving certificate is not valid, or `undefined` if it is valid.
 *
 * @see kubernetes pkg/apis/certificates ValidateKubeletServingCSR
 */
export function kubeletServingComplaint(request: RequestNames, usages: readonly string[]): string | undefined {
  if (!same(request.organizations, ["system:nodes"])) return "subject organization is not system:nodes";
  if (request.dnsNames.length + request.ipAddresses.length === 0) return "DNS or IP subjectAltName is required";
  if (request.emailAddresses.length > 0) return "Email subjectAltNames are not allowed";
  if (request.uris.length > 0) return "URI subjectAltNames are not allowed";
  const complaint = usageError(usages, "server auth");
  if (complaint) return complaint;
  return request.commonName.startsWith("system:node:")
    ? undefined
    : "subject common name does not begin with system:node:";
}

function usageError(usages: readonly string[], auth: string): string | undefined {
  const full = [auth, "digital signature", "key encipherment"];
  if (same(usages, full) || same(usages, full.slice(0, 2))) return undefined;
  return `usages did not match [${full.join(" ")}]`;
}

/**
 * Returns the reason why the key usages are not valid for an API server client, or `undefined` if they are valid.
 *
 * @see kubernetes pkg/controller/certificates/signer validAPIServerClientUsages
 */
export function apiServerClientComplaint(usages: readonly string[]): string | undefined {
  const wrong = usages.find((usage) => !["digital signature", "key encipherment", "client auth"].includes(usage));
  if (wrong) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth";
}
