import type { CaBundleTarget } from "./ca-bundles.ts";

/** Where a source keeps a certificate, and what it writes the CA to, by name: what its program must be allowed to. */
export interface CertificatesDescription {
  readonly secret?: { readonly namespace: string; readonly name: string } | undefined;
  /** By which API servers call the program. */
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
