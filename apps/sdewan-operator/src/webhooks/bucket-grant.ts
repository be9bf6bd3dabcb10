import { isRecord, parseJson } from "@kubewright/apimachinery";
import { matchesPattern } from "./pattern.ts";

/** On a resource: the bucket that it is in, if it is in one. */
export const bucketLabel = "sdewan-bucket-type";

/** On a Role or ClusterRole: JSON, from a pattern of resources to patterns of the buckets that whoever has the role may use. */
export const permissionAnnotation = "sdewan-bucket-type-permission";

/** Of an annotation; a longer one grants nothing. */
const longestGrant = 16_384;

/** Whether the annotation of a role lets resources of this plural be in a bucket. One that is no JSON of that form grants nothing. */
export function grants(annotation: string | undefined, resource: string, bucket: string): boolean {
  return entriesOf(annotation).some(
    ([pattern, buckets]) =>
      matchesPattern(pattern, resource) && buckets.some((allowed) => matchesPattern(allowed, bucket)),
  );
}

type Entry = readonly [resource: string, buckets: readonly string[]];

function entriesOf(annotation: string | undefined): readonly Entry[] {
  if (annotation === undefined || annotation.length > longestGrant) return [];
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
    return undefined; // as good as none
  }
}
