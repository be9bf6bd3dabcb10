import { controllerOf, isRecord, jsonEqual, toAggregateInvalid } from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin } from "@kubewright/apiserver/admission";
import { admissionForbidden } from "@kubewright/apiserver/admission";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { type LevelVersion, levelText, minorOf, policyOf, strictness } from "./pod-security-policy.ts";
import type { PodView, Violation } from "./pod-view.ts";
import { violationsOf } from "./restricted-checks.ts";

export interface PodSecurityLookups {
  namespace(name: string): Promise<ReadonlyObject | undefined>;
  pods(namespace: string): Promise<readonly ReadonlyObject[]>;
}

const ignoredSubresources = ["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"];
/** Path of the pod template in each kind that contains one. */
const templates: Readonly<Record<string, readonly string[]>> = {
  podtemplates: ["template"],
  replicationcontrollers: ["spec", "template"],
  "replicasets.apps": ["spec", "template"],
  "deployments.apps": ["spec", "template"],
  "statefulsets.apps": ["spec", "template"],
  "daemonsets.apps": ["spec", "template"],
  "jobs.batch": ["spec", "template"],
  "cronjobs.batch": ["spec", "jobTemplate", "spec", "template"],
};
/** Maximum number of pods that are checked when the level of their namespace is raised. */
const maxPods = 3_000;

/**
 * Requires pods to comply with the level specified in their namespace's labels. Violations in pod templates cause only
 * warnings.
 *
 * @see kubernetes plugin/pkg/admission/security/podsecurity, pod-security-admission
 */
export function podSecurity(lookups: PodSecurityLookups): AdmissionPlugin {
  return {
    name: "PodSecurity",
    resources: ["namespaces", "pods", ...Object.keys(templates)],
    handles: (operation) => operation === "CREATE" || operation === "UPDATE",
    async validate(attributes) {
      const { resource, subresource } = attributes;
      const id = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
      if (id === "namespaces" && subresource === "") return validateNamespace(attributes, lookups);
      if (id === "pods") return validatePod(attributes, lookups);
      const path = templates[id];
      if (path && subresource === "") await warnOfTemplate(attributes, path, lookups);
    },
  };
}

async function validatePod(attributes: AdmissionAttributes, lookups: PodSecurityLookups): Promise<void> {
  const { object, oldObject, subresource, namespace } = attributes;
  if (!object || ignoredSubresources.includes(subresource)) return;
  if (oldObject && jsonEqual(imagesOf(object), imagesOf(oldObject))) return;
  const { policy } = policyOf((await lookups.namespace(namespace))?.metadata.labels);
  const pod = viewOf(object.metadata.annotations, object.spec);
  const enforced = evaluate(policy.enforce, pod);
  if (enforced.length > 0)
    throw admissionForbidden(attributes, `violates PodSecurity "${levelText(policy.enforce)}": ${detailsOf(enforced)}`);
  warn(attributes, policy.warn, pod);
}

async function warnOfTemplate(
  attributes: AdmissionAttributes,
  path: readonly string[],
  lookups: PodSecurityLookups,
): Promise<void> {
  let template: unknown = attributes.object;
  for (const field of path) template = isRecord(template) ? template[field] : undefined;
  if (!isRecord(template)) return;
  const { policy } = policyOf((await lookups.namespace(attributes.namespace))?.metadata.labels);
  const metadata = isRecord(template.metadata) ? template.metadata : {};
  warn(attributes, policy.warn, viewOf(metadata.annotations, template.spec));
}

function warn(attributes: AdmissionAttributes, level: LevelVersion, pod: PodView): void {
  const violations = evaluate(level, pod);
  if (violations.length > 0)
    attributes.warn(`would violate PodSecurity "${levelText(level)}": ${detailsOf(violations)}`);
}

async function validateNamespace(attributes: AdmissionAttributes, lookups: PodSecurityLookups): Promise<void> {
  const { object, oldObject, kind } = attributes;
  if (!object) return;
  const { policy, errors } = policyOf(object.metadata.labels);
  const before = oldObject && policyOf(oldObject.metadata.labels);
  if (errors.length > 0 && (!before || before.errors.length === 0 || !jsonEqual(errors, before.errors)))
    throw toAggregateInvalid(kind, object.metadata.name, errors);
  if (!before) return;
  const [now, was] = [policy.enforce, before.policy.enforce];
  if (now.level === "privileged" || jsonEqual(now, was)) return;
  if (now.version === was.version && strictness(now.level) <= strictness(was.level)) return;
  for (const text of await existingPodWarnings(object.metadata.name, now, lookups)) attributes.warn(text);
}

/** Returns warnings about existing pods that violate a new level. */
async function existingPodWarnings(name: string, level: LevelVersion, lookups: PodSecurityLookups): Promise<string[]> {
  const pods = await lookups.pods(name);
  const checked = prioritized(pods).slice(0, maxPods);
  const byReason = new Map<string, string[]>();
  for (const { metadata, spec } of checked) {
    const violations = evaluate(level, viewOf(metadata.annotations, spec));
    if (violations.length === 0) continue;
    const reason = violations.map((each) => each.reason).join(", ");
    byReason.set(reason, [...(byReason.get(reason) ?? []), metadata.name]);
  }
  const texts = [...byReason].map(([reason, names]) => {
    const [first = ""] = names.toSorted();
    const more = names.length - 1;
    return `${first}${more === 0 ? "" : ` (and ${more} other ${more === 1 ? "pod" : "pods"})`}: ${reason}`;
  });
  return [
    ...(checked.length < pods.length
      ? [
          `new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`,
        ]
      : []),
    ...(texts.length > 0
      ? [`existing pods in namespace "${name}" violate the new PodSecurity enforce level "${levelText(level)}"`]
      : []),
    ...texts.sort(),
  ];
}

/** Sorts pods so that the first ones come from different controllers, because all pods of a controller are usually alike. */
function prioritized(pods: readonly ReadonlyObject[]): readonly ReadonlyObject[] {
  const seen = new Set<string>();
  const isFirst = (pod: ReadonlyObject): boolean => {
    const uid = controllerOf(pod)?.uid;
    if (uid === undefined) return true;
    const isNew = !seen.has(uid);
    seen.add(uid);
    return isNew;
  };
  const first = pods.filter(isFirst);
  return [...first, ...pods.filter((pod) => !first.includes(pod))];
}

const evaluate = (level: LevelVersion, pod: PodView): Violation[] =>
  level.level === "privileged" ? [] : violationsOf(level.level, pod, minorOf(level));

const detailsOf = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => (detail ? `${reason} (${detail})` : reason)).join(", ");

const viewOf = (annotations: unknown, spec: unknown): PodView => ({
  annotations: isRecord(annotations) ? (annotations as Record<string, string>) : {},
  spec: isRecord(spec) ? (spec as PodView["spec"]) : {},
});

/** Returns the images of a pod, because only an update that changes them triggers a check. */
function imagesOf({ spec }: ReadonlyObject): unknown {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = viewOf({}, spec).spec;
  return [containers, initContainers, ephemeralContainers].map((list) =>
    list.map((each) => ({ name: each.name ?? "", image: (each as { image?: string }).image ?? "" })),
  );
}
