import type {
  CustomResourceConversion,
  CustomResourceDefinitionManifest,
  WebhookClientConfig,
} from "../definition/custom-resource-definition.ts";

/** Where the conversion webhook is served, as upstream. */
const path = "/convert";

/**
 * What a definition says while nobody said where its webhook is. `.invalid` names resolve nowhere (RFC 6761), so that an object that
 * needs converting fails, and says why. With the strategy `None` the API server would relabel it, drop the fields that the other version
 * does not know, and store that on the next write.
 */
export const noConversionWebhook: CustomResourceConversion = {
  strategy: "Webhook",
  webhook: {
    clientConfig: { url: `https://conversion-webhook-not-installed.invalid${path}` },
    conversionReviewVersions: ["v1"],
  },
};

/**
 * The definition with the address of its conversion webhook: a service in the cluster (its path is `/convert` unless said otherwise) or a
 * URL. One that needs no webhook is given back as it is.
 *
 * @throws {Error} if the address is both, or neither
 */
export function withConversionWebhook(
  crd: CustomResourceDefinitionManifest,
  { service, url, caBundle }: WebhookClientConfig,
): CustomResourceDefinitionManifest {
  const { name } = crd.metadata;
  if ((service === undefined) === (url === undefined))
    throw new Error(`conversion webhook of ${name}: give either service or url, not ${service ? "both" : "neither"}`);
  if (url !== undefined && !(URL.canParse(url) && url.startsWith("https://")))
    throw new Error(`conversion webhook of ${name}: url "${url}" must begin with https://`);
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
