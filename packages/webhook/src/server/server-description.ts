import { type DescribedResource, describedResource } from "@kubewright/apimachinery";
import type { WebhookDeclaration } from "../admission/declaration.ts";
import type { CertificatesDescription } from "../certificates/certificates-description.ts";
import { conversionPath } from "../conversion/conversion-endpoint.ts";
import type { Conversion } from "../conversion/hub-and-spokes.ts";

/** Everything that a webhook server serves, and what its certificates require. */
export interface ServerDescription {
  readonly webhooks: readonly {
    readonly type: "mutating" | "validating" | "conversion";
    readonly path: string;
    readonly resource: DescribedResource;
    /** `CREATE`, `UPDATE`, `DELETE` and so on. Empty for conversions. */
    readonly operations: readonly string[];
  }[];
  readonly certificates?: CertificatesDescription | undefined;
}

export function webhookDescriptions(
  declarations: readonly WebhookDeclaration[],
  conversions: readonly Conversion[],
): ServerDescription["webhooks"] {
  return [
    ...declarations.flatMap(({ type, path, rules, resources }) =>
      resources.map((resource, i) => ({ type, path, resource, operations: rules[i]?.operations ?? [] })),
    ),
    ...conversions.map((one) => {
      return { type: "conversion" as const, path: conversionPath, resource: convertedResource(one), operations: [] };
    }),
  ];
}

function convertedResource(conversion: Conversion): DescribedResource {
  const { crd } = conversion;
  if ("hub" in conversion) return describedResource({ ...conversion.hub, ...(crd ? { crd } : {}) });
  const version = crd?.spec.versions.find(({ storage }) => storage)?.name ?? "";
  const { plural } = crd?.spec.names ?? {};
  const { group, kind } = conversion;
  return describedResource({
    group,
    kind,
    version,
    ...(plural && crd ? { plural, scope: crd.spec.scope, crd } : {}),
  });
}
