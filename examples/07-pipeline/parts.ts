import {
  controllerReference,
  type DeepReadonly,
  type KubeObject,
  type Stored,
} from "kubewright";
import type { Pipeline, Step } from "./pipeline.ts";

type Read = Stored<DeepReadonly<Pipeline>>;
type ReadStep = DeepReadonly<Step>;
const storage = { storageClassName: "", accessModes: ["ReadWriteMany"] };

const pipelineLabel = "distri-infer.ndsl.cn/pipeline";

export const labelsOf = ({ metadata }: Read) => ({
  [pipelineLabel]: metadata.name,
});
/** Returns the name of the Pipeline that an object was created for, if any. */
export function pipelinesOf({ metadata }: DeepReadonly<KubeObject>) {
  const name = metadata.labels?.[pipelineLabel];
  return name === undefined ? [] : [name];
}
const stepLabelsOf = (of: Read, { name }: ReadStep) => ({
  ...labelsOf(of),
  "distri-infer.ndsl.cn/step": name,
});
const nameOf = ({ metadata }: Read, { name }: ReadStep) =>
  `${metadata.name}-${name}`;
const metadataOf = (of: Read, name: string) => ({
  name,
  namespace: of.spec.namespace,
  labels: labelsOf(of),
  ownerReferences: [controllerReference(of)],
});

export const volumeKey = ({ metadata }: Pipeline | Read) =>
  `pipeline-${metadata.name}`;
export function volumeOf(of: Read) {
  const claimRef = { namespace: of.spec.namespace, name: of.metadata.name };
  const { hostPath: path, storage: size } = of.spec.volume;
  const spec = {
    ...storage,
    claimRef,
    capacity: { storage: size },
    hostPath: { path },
  };
  return { metadata: { name: volumeKey(of), labels: labelsOf(of) }, spec };
}

export function claimOf(of: Read) {
  const requests = { storage: of.spec.volume.storage };
  const spec = {
    ...storage,
    volumeName: volumeKey(of),
    resources: { requests },
  };
  return { metadata: metadataOf(of, of.metadata.name), spec };
}

/**
 * Returns the Deployment of a step. Its pods mount the volume at `/data`, and
 * get the address of the next step in an environment variable.
 */
export function deploymentOf(of: Read, step: ReadStep) {
  const next =
    of.spec.steps[
      of.spec.steps.findIndex(({ name }) => name === step.name) + 1
    ];
  const env = next
    ? [{ name: "NEXT_STEP", value: `http://${nameOf(of, next)}:${next.port}` }]
    : [];
  const volumes = [
    { name: "data", persistentVolumeClaim: { claimName: of.metadata.name } },
  ];
  const volumeMounts = [{ name: "data", mountPath: "/data" }];
  const container = {
    name: "step",
    image: step.image,
    ports: [{ containerPort: step.port }],
    env,
    volumeMounts,
  };
  const labels = stepLabelsOf(of, step);
  const template = {
    metadata: { labels },
    spec: { containers: [container], volumes },
  };
  const spec = {
    replicas: step.replicas,
    selector: { matchLabels: labels },
    template,
  };
  return { metadata: metadataOf(of, nameOf(of, step)), spec };
}

export function serviceOf(of: Read, step: ReadStep) {
  const spec = {
    selector: stepLabelsOf(of, step),
    ports: [{ port: step.port, targetPort: step.port }],
  };
  return { metadata: metadataOf(of, nameOf(of, step)), spec };
}
