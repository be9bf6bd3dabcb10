import type { KubeObject, LabelSelectorSpec } from "@kubewright/apimachinery";

/** The part of the Pod's types that defaults, validation and columns look at. */
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
  securityContext?: Record<string, unknown>;
  schedulerName?: string;
  enableServiceLinks?: boolean;
  preemptionPolicy?: string;
  priorityClassName?: string;
  readinessGates?: { conditionType: string }[];
  schedulingGates?: { name: string }[];
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
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
  labelSelector?: LabelSelectorSpec;
}

export interface ResourceRequirements {
  limits?: Record<string, string | number>;
  requests?: Record<string, string | number>;
}

export interface Container {
  name?: string;
  image?: string;
  imagePullPolicy?: string;
  restartPolicy?: string;
  ports?: ContainerPort[];
  env?: EnvVar[];
  volumeMounts?: { name?: string; mountPath?: string; subPath?: string }[];
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
    fieldRef?: { apiVersion?: string; fieldPath?: string };
    fileKeyRef?: { optional?: boolean };
    [source: string]: unknown;
  };
}

export interface Handler {
  exec?: { command?: string[] };
  httpGet?: { path?: string; port?: number | string; scheme?: string };
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
  fieldRef?: { apiVersion?: string };
}

export interface Volume {
  name?: string;
  configMap?: { defaultMode?: number };
  secret?: { defaultMode?: number; secretName?: string };
  downwardAPI?: { defaultMode?: number; items?: DownwardItem[] };
  projected?: {
    defaultMode?: number;
    sources?: {
      serviceAccountToken?: { expirationSeconds?: number };
      downwardAPI?: { items?: DownwardItem[] };
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
