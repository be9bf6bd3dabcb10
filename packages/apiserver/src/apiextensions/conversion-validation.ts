import { type FieldError, type FieldPath, fieldError, isDns1035Label } from "@kubewright/apimachinery";
import type { Conversion } from "./definition.ts";

const knownReviews = ["v1", "v1beta1"];

/** What is wrong with how versions are converted. */
export function conversionErrors(conversion: Conversion | undefined, path: FieldPath): FieldError[] {
  if (!conversion) return [];
  const { strategy, webhook } = conversion;
  if (!strategy) return [fieldError.required(path.child("strategy"))];
  if (strategy !== "None" && strategy !== "Webhook")
    return [fieldError.notSupported(path.child("strategy"), strategy, ["None", "Webhook"])];
  const config = path.child("webhookClientConfig");
  const reviews = path.child("conversionReviewVersions");
  if (strategy === "None") {
    const text = "should not be set when strategy is not set to Webhook";
    return [
      ...(webhook?.clientConfig ? [fieldError.forbidden(config, text)] : []),
      ...((webhook?.conversionReviewVersions ?? []).length > 0 ? [fieldError.forbidden(reviews, text)] : []),
    ];
  }
  const { clientConfig, conversionReviewVersions: versions = [] } = webhook ?? {};
  const errors: FieldError[] = [];
  if (!clientConfig) errors.push(fieldError.required(config, "required when strategy is set to Webhook"));
  else if ((clientConfig.url === undefined) === (clientConfig.service === undefined))
    errors.push(fieldError.required(config, "exactly one of url or service is required"));
  else if (clientConfig.url !== undefined) errors.push(...urlErrors(clientConfig.url, config.child("url")));
  if (versions.length === 0) return [...errors, fieldError.required(reviews)];
  for (const [i, version] of versions.entries()) {
    if (versions.indexOf(version) < i) errors.push(fieldError.invalid(reviews.index(i), version, "duplicate version"));
    else for (const text of isDns1035Label(version)) errors.push(fieldError.invalid(reviews.index(i), version, text));
  }
  if (!versions.some((version) => knownReviews.includes(version)))
    errors.push(fieldError.invalid(reviews, versions, `must include at least one of ${knownReviews.join(", ")}`));
  return errors;
}

function urlErrors(url: string, path: FieldPath): FieldError[] {
  const form = "; desired format: https://host[/path]";
  if (!URL.canParse(url)) return [fieldError.required(path, `url must be a valid URL${form}`)];
  const { protocol, username, search, hash } = new URL(url);
  const errors: FieldError[] = [];
  if (protocol !== "https:")
    errors.push(fieldError.invalid(path, protocol.slice(0, -1), `'https' is the only allowed URL scheme${form}`));
  if (username !== "") errors.push(fieldError.invalid(path, username, "user information is not permitted in the URL"));
  if (hash !== "") errors.push(fieldError.invalid(path, hash.slice(1), "fragments are not permitted in the URL"));
  if (search !== "")
    errors.push(fieldError.invalid(path, search.slice(1), "query parameters are not permitted in the URL"));
  return errors;
}
