import { createHash } from "node:crypto";
import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Deployment, ReplicaSet } from "@kubewright/client/kinds";

export const revisionAnnotation = "deployment.kubernetes.io/revision";
const revisionHistoryAnnotation = "deployment.kubernetes.io/revision-history";
export const desiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas";
const maxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";
export const podTemplateHashLabel = "pod-template-hash";

const notCopied = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  "deprecated.deployment.rollback.to",
]);

type Template = DeepReadonly<Deployment["spec"]["template"]>;

/** Letters and digits of which no word is made; upstream's names use the same. */
const safe = "bcdfghjklmnpqrstvwxz2456789";

/** Ten letters that follow from the template and from how often they have met another template's. */
export function templateHash(template: Template, collisions: number): string {
  const digest = createHash("sha256").update(canonicalJson(template)).update(`#${collisions}`).digest();
  return [...digest.subarray(0, 10)].map((byte) => safe[byte % safe.length]).join("");
}

/** Whether two pod templates ask for the same pods; the label that tells replica sets apart does not count. */
export function sameTemplate(a: Template, b: Template): boolean {
  return canonicalJson(withoutHash(a)) === canonicalJson(withoutHash(b));
}

function withoutHash(template: Template): Template {
  const { [podTemplateHashLabel]: _, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each !== null && typeof each === "object" && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

/** The revision a replica set carries; 0 if none. It is a 64-bit number, which may have come with a replica set that was adopted. */
export function revisionOf(object: DeepReadonly<ReplicaSet>): bigint {
  const text = object.metadata.annotations?.[revisionAnnotation] ?? "";
  return /^\d+$/.test(text) ? BigInt(text) : 0n;
}

/** The annotations of a replica set: those of its deployment, its revision, and the sizes it was made for. */
export function replicaSetAnnotations(
  deployment: DeepReadonly<Deployment>,
  revision: bigint,
  sizes: { readonly desired: number; readonly max: number },
  present: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !notCopied.has(key));
  const before = present[revisionAnnotation];
  const history = [present[revisionHistoryAnnotation], before].filter(Boolean).join(",");
  return {
    ...present,
    ...Object.fromEntries(copied),
    [revisionAnnotation]: String(revision),
    ...(before !== undefined && before !== String(revision) && history ? { [revisionHistoryAnnotation]: history } : {}),
    [desiredReplicasAnnotation]: String(sizes.desired),
    [maxReplicasAnnotation]: String(sizes.max),
  };
}
