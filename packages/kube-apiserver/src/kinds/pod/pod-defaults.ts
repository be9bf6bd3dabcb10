import type { Container, DownwardItem, Handler, PodSpec, PodTemplate, Probe, Volume } from "./pod-types.ts";

/** Returns the names of a volume's sources. A volume without a source gets an empty directory. */
const volumeSourceNames = (volume: Volume): string[] => Object.keys(volume).filter((key) => key !== "name");

/** Sets the defaults in a pod's spec. @see pkg/apis/core/v1 SetDefaults_PodSpec */
export function applyPodSpecDefaults(spec: PodSpec): void {
  spec.restartPolicy ||= "Always";
  spec.terminationGracePeriodSeconds ??= 30;
  if (spec.terminationGracePeriodSeconds < 0) spec.terminationGracePeriodSeconds = 1;
  spec.dnsPolicy ||= "ClusterFirst";
  spec.securityContext ??= {};
  spec.schedulerName ||= "default-scheduler";
  if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
  else if (spec.serviceAccount) spec.serviceAccountName = spec.serviceAccount;
  for (const container of spec.initContainers ?? []) applyContainerDefaults(container, spec);
  for (const container of spec.containers ?? []) applyContainerDefaults(container, spec);
  for (const container of spec.ephemeralContainers ?? []) applyContainerDefaults(container, spec);
  for (const volume of spec.volumes ?? []) applyVolumeDefaults(volume);
}

/** Sets the defaults in a workload's pod template. */
export function applyPodTemplateDefaults(template: PodTemplate | undefined): void {
  if (!template) return;
  template.metadata ??= {};
  template.spec ??= {};
  applyPodSpecDefaults(template.spec);
}

/** Sets containers' missing requests to their limits. Applies only to pods, not to pod templates. */
export function applyPodRequestDefaults(spec: PodSpec): void {
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    const { resources } = container;
    if (!resources?.limits) continue;
    resources.requests = { ...resources.limits, ...resources.requests };
  }
}

const pathPart = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const domain =
  "(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?";
/** Pattern for the name of an image. @see github.com/distribution/reference */
const imageReference = new RegExp(
  `^(?:${domain}/)?${pathPart}(?:/${pathPart})*(?::\\w[\\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
);

/**
 * Returns the default pull policy for an image: `Always` if it has the tag `latest` or neither a tag nor a digest, and `IfNotPresent`
 * otherwise.
 */
function defaultPullPolicy(image: string): string {
  if (!imageReference.test(image)) return "IfNotPresent";
  const rest = image.slice(image.lastIndexOf("/") + 1);
  const digest = rest.includes("@");
  const tag = /:([^@]+)/.exec(rest)?.[1];
  return (tag === undefined && !digest) || tag === "latest" ? "Always" : "IfNotPresent";
}

function applyContainerDefaults(container: Container, spec: PodSpec): void {
  container.imagePullPolicy ||= defaultPullPolicy(container.image ?? "");
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  container.resources ??= {};
  for (const port of container.ports ?? []) {
    port.protocol ||= "TCP";
    if (spec.hostNetwork && !port.hostPort && port.containerPort) port.hostPort = port.containerPort;
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe])
    if (probe) applyProbeDefaults(probe);
  applyHandlerDefaults(container.lifecycle?.postStart);
  applyHandlerDefaults(container.lifecycle?.preStop);
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ||= "v1";
    if (valueFrom?.fileKeyRef) valueFrom.fileKeyRef.optional ??= false;
  }
}

function applyProbeDefaults(probe: Probe): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  applyHandlerDefaults(probe);
}

function applyHandlerDefaults(handler: Handler | undefined): void {
  if (handler?.httpGet) {
    handler.httpGet.path ||= "/";
    handler.httpGet.scheme ||= "HTTP";
  }
  if (handler?.grpc) handler.grpc.service ??= "";
}

const defaultMode = 0o644;

function applyVolumeDefaults(volume: Volume): void {
  if (volumeSourceNames(volume).length === 0) volume.emptyDir = {};
  for (const source of [volume.configMap, volume.secret, volume.downwardAPI, volume.projected])
    if (source) source.defaultMode ??= defaultMode;
  applyDownwardDefaults(volume.downwardAPI?.items);
  for (const source of volume.projected?.sources ?? []) {
    if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= 3_600;
    applyDownwardDefaults(source.downwardAPI?.items);
  }
  if (volume.hostPath) volume.hostPath.type ??= "";
  if (volume.iscsi) volume.iscsi.iscsiInterface ||= "default";
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  if (claim) claim.volumeMode ??= "Filesystem";
  if (volume.image) volume.image.pullPolicy ||= defaultPullPolicy(volume.image.reference ?? "");
}

function applyDownwardDefaults(items: readonly DownwardItem[] | undefined): void {
  for (const { fieldRef } of items ?? []) if (fieldRef) fieldRef.apiVersion ||= "v1";
}
