import { type DeepReadonly, isRecord, type Unstructured } from "@kubewright/apimachinery";
import type { CustomResourceDefinition } from "@kubewright/client/kinds";

type Live = DeepReadonly<CustomResourceDefinition>;
type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});
const versionsOf = (object: Unstructured): readonly Fields[] => {
  const { versions } = fieldsOf(object.spec);
  return Array.isArray(versions) ? versions.filter(isRecord) : [];
};
const conversionOf = (object: Unstructured): Fields => fieldsOf(fieldsOf(object.spec).conversion);

/**
 * Reports whether the new CRD must be held back because it changes versions or the conversion, so that pods of the
 * earlier revision cannot work with it.
 */
export function isHeld(next: Unstructured, live: Live): boolean {
  const flags = (versions: readonly Fields[]) =>
    JSON.stringify(versions.map(({ name, served, storage }) => [name, served, storage]).sort());
  const { strategy = "None" } = conversionOf(next);
  return (
    flags(versionsOf(next)) !== flags(live.spec.versions) || strategy !== (live.spec.conversion?.strategy ?? "None")
  );
}

/**
 * Returns a CRD that both revisions can work with: it combines the live CRD's versions and conversion with the new
 * schemas.
 */
export function expanding(next: Unstructured, live: Live): Unstructured {
  const wanted = new Map(versionsOf(next).map((one) => [one.name, one]));
  const versions = live.spec.versions.map((one) => {
    const { served, storage } = one;
    return { ...(wanted.get(one.name) ?? one), served, storage };
  });
  const { strategy = "None", webhook } = live.spec.conversion ?? {};
  const { clientConfig, conversionReviewVersions } = webhook ?? {};
  const { caBundle: _, ...called } = clientConfig ?? {};
  const own = conversionOf(next);
  const kept =
    strategy === "Webhook" ? { strategy, webhook: { clientConfig: called, conversionReviewVersions } } : { strategy };
  const conversion = strategy === own.strategy ? own : kept;
  return { ...next, spec: { ...fieldsOf(next.spec), versions, conversion } };
}

/**
 * Returns the CRD from {@link expanding} with the new conversion. API servers must know the conversion before a version
 * needs it. Returns undefined if the live CRD's conversion is sufficient.
 */
export function converting(next: Unstructured, live: Live): Unstructured | undefined {
  const conversion = conversionOf(next);
  if (conversion.strategy !== "Webhook" || live.spec.conversion?.webhook?.clientConfig?.caBundle) return undefined;
  const before = expanding(next, live);
  return { ...before, spec: { ...fieldsOf(before.spec), conversion } };
}
