import { isRecord, parseJson } from "@kubewright/apimachinery";
import { matchesPattern } from "./pattern.ts";

/** Label on a resource: the bucket to which it belongs. */
export const bucketLabel = "sdewan-bucket-type";

/**
 * Annotation on a Role or ClusterRole: JSON that maps resource patterns to patterns for the buckets that users with the
 * role are allowed to use.
 */
export const permissionAnnotation = "sdewan-bucket-type-permission";

/** Maximum length of an annotation. A longer one grants nothing. */
const maxGrantLength = 16_384;

/**
 * Reports whether a role's annotation allows resources with the given plural in a bucket. An annotation that is not
 * JSON in this form grants nothing.
 */
export function grants(annotation: string | undefined, resource: string, bucket: string): boolean {
  return entriesOf(annotation).some(
    ([pattern, buckets]) =>
      matchesPattern(pattern, resource) && buckets.some((allowed) => matchesPattern(allowed, bucket)),
  );
}

type Entry = readonly [resource: string, buckets: readonly string[]];

function entriesOf(annotation: string | undefined): readonly Entry[] {
  if (annotation === undefined || annotation.length > maxGrantLength) return [];
  const grant = parsed(annotation);
  if (!isRecord(grant)) return [];
  const entries: (readonly [string, unknown])[] = Object.entries(grant);
  return entries.every(isEntry) ? entries : [];
}

const isEntry = (entry: readonly [string, unknown]): entry is Entry =>
  Array.isArray(entry[1]) && entry[1].every((bucket) => typeof bucket === "string");

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined; // an invalid annotation is treated like a missing one
  }
}
