import type {
  CustomResourceConversion,
  CustomResourceDefinitionManifest,
  WebhookClientConfig,
} from "../definition/custom-resource-definition.ts";

/** Path of the conversion webhook, as in upstream. */
const path = "/convert";

/**
 * Value of `conversion` in a CRD until {@link withConversionWebhook} sets the address of the webhook. Names that end in
 * `.invalid` never resolve (RFC 6761), so requests that need a conversion fail, with this name in the error. With the
 * strategy `None` instead, the API server would only change `apiVersion`, remove the fields that the other version does
 * not have, and store the result on the next write.
 */
export const noConversionWebhook: CustomResourceConversion = {
  strategy: "Webhook",
  webhook: {
    clientConfig: { url: `https://conversion-webhook-not-installed.invalid${path}` },
    conversionReviewVersions: ["v1"],
  },
};

/**
 * Returns a copy of a CRD with the address of its conversion webhook, which is a URL or a Service in the cluster (with the default path
 * `/convert`). A CRD that needs no webhook is returned unchanged.
 *
 * @throws {Error} if `service` and `url` are both set or both absent, or if `url` does not start with `https://`
 */
export function withConversionWebhook(
  crd: CustomResourceDefinitionManifest,
  { service, url, caBundle }: WebhookClientConfig,
): CustomResourceDefinitionManifest {
  const { name } = crd.metadata;
  if ((service === undefined) === (url === undefined))
    throw new Error(
      `conversion webhook of ${name}: ${service ? "set only one of service and url" : "set service or url"}`,
    );
  if (url !== undefined && !(URL.canParse(url) && url.startsWith("https://")))
    throw new Error(`conversion webhook of ${name}: url "${url}" must start with https://`);
  if (crd.spec.conversion?.strategy !== "Webhook") return crd;
  const clientConfig: WebhookClientConfig = {
    ...(service ? { service: { path, ...service } } : {}),
    ...(url === undefined ? {} : { url }),
    ...(caBundle === undefined ? {} : { caBundle }),
  };
  const conversion: CustomResourceConversion = {
    strategy: "Webhook",
    webhook: { clientConfig, conversionReviewVersions: ["v1"] },
  };
  return { ...crd, spec: { ...crd.spec, conversion } };
}
