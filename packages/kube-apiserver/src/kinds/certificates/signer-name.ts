import {
  type FieldError,
  type FieldPath,
  fieldError,
  isDns1123Label,
  isDns1123Subdomain,
  quote,
} from "@kubewright/apimachinery";

const [longestDomain, longestPath] = [253, 253 + 63 + 1];
const longestName = longestDomain + longestPath + 1;

/**
 * Returns the errors in a signer's name, such as `example.com/signer`.
 *
 * @see pkg/apis/core/validation ValidateSignerName
 */
export function signerNameErrors(signer: string, at: FieldPath): FieldError[] {
  if (signer === "") return [fieldError.required(at)];
  const [domain = "", path, ...more] = signer.split("/");
  if (path === undefined || more.length > 0)
    return [
      fieldError.invalid(at, signer, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    ];
  const labels = domain.split(".");
  return [
    ...(domain.length > longestDomain ? [fieldError.tooLong(at, longestDomain)] : []),
    ...firstWrong(labels, isDns1123Label, domain, at),
    ...(labels.length < 2
      ? [fieldError.invalid(at, domain, "should be a domain with at least two segments separated by dots")]
      : []),
    ...firstWrong(path.split("."), isDns1123Subdomain, path, at),
    ...(signer.length > longestName ? [fieldError.tooLong(at, longestName)] : []),
  ];
}

/**
 * Returns the errors in the first part that is not valid. Errors in further parts are omitted, because they would not
 * show to which part they belong.
 */
function firstWrong(
  parts: readonly string[],
  check: (part: string) => readonly string[],
  value: string,
  at: FieldPath,
): FieldError[] {
  for (const part of parts) {
    const wrong = check(part);
    if (wrong.length > 0)
      return wrong.map((text) => fieldError.invalid(at, value, `validating label ${quote(part)}: ${text}`));
  }
  return [];
}

/** Returns the errors in a ClusterTrustBundle's name. @see pkg/apis/core/validation ValidateClusterTrustBundleName */
export function trustBundleNameMessages(name: string, signer: string): readonly string[] {
  if (signer === "")
    return name.includes(":")
      ? ['ClusterTrustBundle without signer name must not have ":" in its name']
      : isDns1123Subdomain(name);
  const prefix = `${signer.replaceAll("/", ":")}:`;
  return name.startsWith(prefix)
    ? isDns1123Subdomain(name.slice(prefix.length))
    : [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`];
}

/** Reports whether a signer belongs to Kubernetes itself. */
export function isKubernetesSigner(signer: string): boolean {
  const [host = ""] = signer.split("/");
  return host === "kubernetes.io" || host.endsWith(".kubernetes.io");
}

/**
 * Returns the maximum lifetime of a pod's certificate, in seconds. Kubernetes' own signers issue only short-lived
 * certificates.
 */
export const longestCertificateSeconds = (isKubernetes: boolean): number => (isKubernetes ? 24 : 91 * 24) * 3_600;
