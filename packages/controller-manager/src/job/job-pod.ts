import type { DeepReadonly, NewObject } from "@kubewright/apimachinery";
import { Job, type Pod } from "@kubewright/client/kinds";
import { systemRandom } from "@kubewright/clock";
import { podFromTemplate } from "../workload/pod-from-template.ts";
import { indexAnnotation, trackingFinalizer } from "./job-status.ts";

const letters = "bcdfghjklmnpqrstvwxz2456789";
const suffix = (): string => Array.from({ length: 5 }, () => letters[systemRandom.integer(letters.length)]).join("");

/**
 * Returns a new pod for a job. For an indexed job, the pod has an index.
 *
 * @see kubernetes pkg/controller/job manageJob
 */
export function jobPod(
  job: DeepReadonly<Job>,
  index?: number,
  annotations: Readonly<Record<string, string>> = {},
): DeepReadonly<NewObject<Pod>> {
  const pod = podFromTemplate(Job, job, job.spec.template);
  const { metadata, spec } = pod;
  const finalizers = [...(metadata.finalizers ?? []), trackingFinalizer];
  if (index === undefined) return { ...pod, metadata: { ...metadata, finalizers } };
  const { generateName: _, ...named } = metadata;
  const env = {
    name: "JOB_COMPLETION_INDEX",
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexAnnotation}']` } },
  };
  const withIndex = <C extends { readonly env?: readonly { readonly name: string }[] }>(container: C): C =>
    container.env?.some(({ name }) => name === env.name)
      ? container
      : { ...container, env: [...(container.env ?? []), env] };
  return {
    metadata: {
      ...named,
      name: `${job.metadata.name}-${index}-${suffix()}`,
      finalizers,
      labels: { ...metadata.labels, [indexAnnotation]: String(index) },
      annotations: { ...metadata.annotations, ...annotations, [indexAnnotation]: String(index) },
    },
    spec: {
      ...spec,
      hostname: spec.hostname ?? `${job.metadata.name}-${index}`,
      containers: spec.containers.map(withIndex),
      ...(spec.initContainers ? { initContainers: spec.initContainers.map(withIndex) } : {}),
    },
  } as DeepReadonly<NewObject<Pod>>;
}
