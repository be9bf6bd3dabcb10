import { createHash } from "node:crypto";
import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Deployment } from "@kubewright/client/kinds";

export const podTemplateHashLabel = "pod-template-hash";

type Template = DeepReadonly<Deployment["spec"]["template"]>;

/** Letters and digits that are used in generated names, as in upstream. They cannot form words. */
const safe = "bcdfghjklmnpqrstvwxz2456789";

/** Returns a hash of a template and a collision count, ten characters long. */
export function templateHash(template: Template, collisions: number): string {
  const digest = createHash("sha256").update(canonicalJson(template)).update(`#${collisions}`).digest();
  return [...digest.subarray(0, 10)].map((byte) => safe[byte % safe.length]).join("");
}

/** Reports whether two pod templates are equivalent, ignoring the label that distinguishes replica sets. */
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
