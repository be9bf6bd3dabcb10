/** Bodies that many sequences send. */
export const configMap = (name: string, data?: Readonly<Record<string, string>>, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  ...(data ? { data } : {}),
});

export const podSpec = (image = "nginx:1.27") => ({ containers: [{ name: "main", image }] });

export const pod = (name: string, spec: object = podSpec(), metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...metadata },
  spec,
});

const template = (name: string, spec: object) => ({ metadata: { labels: { app: name } }, spec });

export const deployment = (name: string, spec: object = {}, pods: object = podSpec()) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: { selector: { matchLabels: { app: name } }, template: template(name, pods), ...spec },
});

export const statefulSet = (name: string, spec: object = {}) => ({
  ...deployment(name, { serviceName: name, ...spec }),
  kind: "StatefulSet",
});

export const daemonSet = (name: string, spec: object = {}) => ({ ...deployment(name, spec), kind: "DaemonSet" });

export const replicaSet = (name: string, spec: object = {}) => ({ ...deployment(name, spec), kind: "ReplicaSet" });

export const job = (name: string, spec: object = {}) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name },
  spec: { template: { spec: { ...podSpec(), restartPolicy: "Never" } }, ...spec },
});

export const cronJob = (name: string, spec: object = {}) => ({
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name },
  spec: { schedule: "*/5 * * * *", jobTemplate: { spec: job(name).spec }, ...spec },
});

export const service = (name: string, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ port: 80 }], ...spec },
});

export const secret = (name: string, rest: object = {}) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name },
  ...rest,
});

export interface CrdOptions {
  readonly group?: string;
  readonly plural: string;
  readonly kind: string;
  readonly scope?: "Namespaced" | "Cluster";
  readonly schema?: object;
  /** Additional members of the version. */
  readonly version?: object;
  readonly names?: object;
  readonly spec?: object;
}

export const anyObject = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export const crd = ({
  group = "parity.example.com",
  plural,
  kind,
  scope = "Namespaced",
  schema,
  version,
  names,
  spec,
}: CrdOptions) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope,
    names: { plural, kind, ...names },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema ?? { type: "object", properties: { spec: anyObject } } },
        ...version,
      },
    ],
    ...spec,
  },
});

export const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const custom = "parity.example.com~";

// biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
export const isEstablished = (body: any): boolean =>
  Boolean(
    body.status?.conditions?.some(
      (each: { type: string; status: string }) => each.type === "Established" && each.status === "True",
    ),
  );

export const tableAccept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
export const partialAccept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json";
export const partialListAccept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json";
export const discoveryAccept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
