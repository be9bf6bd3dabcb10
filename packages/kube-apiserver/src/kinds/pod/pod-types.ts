import type { KubeObject, LabelSelectorSpec } from "@kubewright/apimachinery";
import type { Affinity } from "./affinity-validation.ts";
import type { PodCertificateSource, TrustBundleSource } from "./projected-certificates.ts";
import type { ObjectFieldSelector, ResourceFieldSelector } from "./source-paths.ts";

/** The pod fields that defaulting, validation and columns use. */
export interface Pod extends KubeObject {
  spec?: PodSpec;
  status?: PodStatus;
}

export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string>; [field: string]: unknown };
  spec?: PodSpec;
}

export interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  ephemeralContainers?: EphemeralContainer[];
  volumes?: Volume[];
  restartPolicy?: string;
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  dnsPolicy?: string;
  nodeSelector?: Record<string, string>;
  serviceAccountName?: string;
  serviceAccount?: string;
  nodeName?: string;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  hostname?: string;
  subdomain?: string;
  hostnameOverride?: string;
  setHostnameAsFQDN?: boolean;
  securityContext?: Record<string, unknown>;
  schedulerName?: string;
  enableServiceLinks?: boolean;
  preemptionPolicy?: string;
  priorityClassName?: string;
  readinessGates?: { conditionType?: string }[];
  schedulingGates?: { name?: string }[];
  affinity?: Affinity;
  dnsConfig?: { nameservers?: string[]; searches?: string[]; options?: { name?: string }[] };
  hostAliases?: { ip?: string; hostnames?: string[] }[];
  tolerations?: Toleration[];
  imagePullSecrets?: { name?: string }[];
  topologySpreadConstraints?: TopologySpreadConstraint[];
  resources?: ResourceRequirements;
  [field: string]: unknown;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

interface TopologySpreadConstraint {
  maxSkew?: number;
  topologyKey?: string;
  whenUnsatisfiable?: string;
  minDomains?: number;
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
  labelSelector?: LabelSelectorSpec;
}

export interface ResourceRequirements {
  limits?: Record<string, string | number>;
  requests?: Record<string, string | number>;
  claims?: unknown;
}

export interface Container {
  name?: string;
  image?: string;
  imagePullPolicy?: string;
  restartPolicy?: string;
  ports?: ContainerPort[];
  env?: EnvVar[];
  envFrom?: { prefix?: string; configMapRef?: { name?: string }; secretRef?: { name?: string } }[];
  volumeMounts?: {
    name?: string;
    mountPath?: string;
    subPath?: string;
    subPathExpr?: string;
    mountPropagation?: string;
  }[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: { postStart?: Handler; preStop?: Handler };
  resources?: ResourceRequirements;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  securityContext?: { privileged?: boolean; procMount?: string; [field: string]: unknown };
}

export interface EphemeralContainer extends Container {
  targetContainerName?: string;
}

export interface ContainerPort {
  name?: string;
  containerPort?: number;
  hostPort?: number;
  hostIP?: string;
  protocol?: string;
}

export interface EnvVar {
  name?: string;
  value?: string;
  valueFrom?: {
    fieldRef?: ObjectFieldSelector;
    resourceFieldRef?: ResourceFieldSelector;
    configMapKeyRef?: KeySelector;
    secretKeyRef?: KeySelector;
    fileKeyRef?: { optional?: boolean };
    [source: string]: unknown;
  };
}

/** A reference to a key in a ConfigMap or Secret. */
export interface KeySelector {
  name?: string;
  key?: string;
}

export interface Handler {
  exec?: { command?: string[] };
  httpGet?: { path?: string; port?: number | string; scheme?: string; httpHeaders?: { name?: string }[] };
  tcpSocket?: { port?: number | string };
  grpc?: { port?: number; service?: string };
  sleep?: { seconds?: number };
}

export interface Probe extends Handler {
  initialDelaySeconds?: number;
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
}

export interface DownwardItem {
  path?: string;
  fieldRef?: ObjectFieldSelector;
  resourceFieldRef?: ResourceFieldSelector;
  mode?: number;
}

/** A key in a ConfigMap or Secret, and the path of the file that will contain its value. */
export interface KeyToPath {
  key?: string;
  path?: string;
  mode?: number;
}

export interface Volume {
  name?: string;
  configMap?: { name?: string; defaultMode?: number; items?: KeyToPath[] };
  secret?: { defaultMode?: number; secretName?: string; items?: KeyToPath[] };
  downwardAPI?: { defaultMode?: number; items?: DownwardItem[] };
  projected?: {
    defaultMode?: number;
    sources?: {
      serviceAccountToken?: { path?: string; expirationSeconds?: number };
      downwardAPI?: { items?: DownwardItem[] };
      configMap?: { name?: string; items?: KeyToPath[] };
      secret?: { name?: string; items?: KeyToPath[] };
      clusterTrustBundle?: TrustBundleSource;
      podCertificate?: PodCertificateSource;
    }[];
  };
  hostPath?: { path?: string; type?: string };
  emptyDir?: Record<string, unknown>;
  ephemeral?: { volumeClaimTemplate?: { spec?: { volumeMode?: string } } };
  image?: { pullPolicy?: string; reference?: string };
  iscsi?: { iscsiInterface?: string };
  persistentVolumeClaim?: { claimName?: string };
  [source: string]: unknown;
}

interface ContainerState {
  waiting?: { reason?: string };
  running?: { startedAt?: string };
  terminated?: { reason?: string; exitCode?: number; signal?: number; finishedAt?: string };
}

export interface ContainerStatus {
  name?: string;
  ready?: boolean;
  started?: boolean;
  restartCount?: number;
  state?: ContainerState;
  lastState?: ContainerState;
  resources?: Container["resources"];
  allocatedResources?: Record<string, string>;
}

export interface PodStatus {
  phase?: string;
  reason?: string;
  qosClass?: string;
  podIP?: string;
  podIPs?: { ip?: string }[];
  nominatedNodeName?: string;
  conditions?: { type: string; status: string; reason?: string }[];
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
  [field: string]: unknown;
}
