import type { CaBundleTarget } from "./ca-bundles.ts";

/**
 * The names of the Secret that stores a certificate and of the objects that contain the CA. They determine which
 * permissions the program needs.
 */
export interface CertificatesDescription {
  readonly secret?: { readonly namespace: string; readonly name: string } | undefined;
  /** Service through which API servers call the program. */
  readonly service?: { readonly namespace: string; readonly name: string } | undefined;
  readonly mutatingWebhookConfigurations: readonly string[];
  readonly validatingWebhookConfigurations: readonly string[];
  readonly customResourceDefinitions: readonly string[];
}

export function certificatesDescription(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  targets: readonly CaBundleTarget[] | (() => readonly CaBundleTarget[]) = [],
  service?: CertificatesDescription["service"],
): CertificatesDescription {
  const all = typeof targets === "function" ? targets() : targets;
  const namesOf = (kind: CaBundleTarget["kind"]): string[] =>
    all.flatMap((target) => (target.kind === kind ? target.name : []));
  return {
    secret: { namespace, name },
    ...(service ? { service } : {}),
    mutatingWebhookConfigurations: namesOf("MutatingWebhookConfiguration"),
    validatingWebhookConfigurations: namesOf("ValidatingWebhookConfiguration"),
    customResourceDefinitions: namesOf("CustomResourceDefinition"),
  };
}
