import { type FieldError, type FieldPath, fieldError, isDns1035Label } from "@kubewright/apimachinery";
import { clientErrors } from "@kubewright/apiserver/webhook";
import type { Conversion } from "../definition/definition.ts";

const knownReviews = ["v1", "v1beta1"];

/** Validates a CRD's conversion settings and returns the errors. */
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
  else errors.push(...clientErrors(clientConfig, config));
  if (versions.length === 0) return [...errors, fieldError.required(reviews)];
  for (const [i, version] of versions.entries()) {
    if (versions.indexOf(version) < i) errors.push(fieldError.invalid(reviews.index(i), version, "duplicate version"));
    else for (const text of isDns1035Label(version)) errors.push(fieldError.invalid(reviews.index(i), version, text));
  }
  if (!versions.some((version) => knownReviews.includes(version)))
    errors.push(fieldError.invalid(reviews, versions, `must include at least one of ${knownReviews.join(", ")}`));
  return errors;
}

/** Returns an error if an update replaces a readable CA bundle with an unreadable one. */
export function caBundleChangeErrors(
  conversion: Conversion | undefined,
  old: Conversion | undefined,
  path: FieldPath,
): FieldError[] {
  const bundle = conversion?.webhook?.clientConfig?.caBundle ?? "";
  if (isReadable(bundle) || !isReadable(old?.webhook?.clientConfig?.caBundle ?? "")) return [];
  const why = "unable to load root certificates: unable to parse bytes as PEM block";
  return [fieldError.invalid(path.child("webhookClientConfig", "caBundle"), bundle, why)];
}

/** Reports whether a CA bundle in base64 is empty or contains a PEM block. */
const isReadable = (caBundle: string): boolean =>
  caBundle === "" || Buffer.from(caBundle, "base64").includes("-----BEGIN CERTIFICATE-----");
