import type { DeepReadonly, Unstructured } from "@kubewright/apimachinery";
import { CertificateAuthority } from "@kubewright/certificates";
import type { Deployment } from "@kubewright/client/kinds";
import { certSecretLabel } from "../src/api/group.ts";
import { caKey } from "../src/cnf/endpoint.ts";

/**
 * Creates, as cert-manager would, the certificate Secrets that CNFs reference but `objects` does not contain. Each certificate is valid for
 * every pod in its namespace; all of them are signed by one new CA.
 *
 * @param objects Deployments of CNFs, and other objects that they need
 */
export function missingCertificates(objects: readonly Unstructured[]): Unstructured[] {
  const supplied = new Set(objects.filter(({ kind }) => kind === "Secret").map(({ metadata }) => idOf(metadata)));
  const missing = objects.filter(isDeployment).flatMap(({ metadata, spec }) => {
    const name = spec?.template.metadata?.labels?.[certSecretLabel];
    return name ? [{ namespace: metadata.namespace ?? "default", name }] : [];
  });
  const required = new Map(missing.map((secret) => [idOf(secret), secret]));
  const ca = new CertificateAuthority("cnf-root-cert");
  return [...required].filter(([id]) => !supplied.has(id)).map(([, secret]) => certificateSecret(ca, secret));
}

function certificateSecret(ca: CertificateAuthority, metadata: { readonly namespace: string; readonly name: string }) {
  const { certificate, key } = ca.issueServer(metadata.name, [`*.${metadata.namespace}.pod.cluster.local`]);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata,
    type: "kubernetes.io/tls",
    stringData: { "tls.crt": certificate, "tls.key": key, [caKey]: ca.certificate },
  };
}

const idOf = ({ namespace = "default", name }: { readonly namespace?: string; readonly name: string }): string =>
  `${namespace}/${name}`;

const isDeployment = (object: Unstructured): object is Unstructured & DeepReadonly<Deployment> =>
  object.kind === "Deployment";
