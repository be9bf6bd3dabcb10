import { ownMember, quote } from "@kubewright/apimachinery";
import {
  containersOf,
  containersText,
  type HandlerView,
  namesWhere,
  type PodView,
  plural,
  quoted,
  type SecurityView,
  settersText,
  sortedSet,
  type Violation,
} from "./pod-view.ts";

/**
 * Checks a pod, and returns a violation if there is one.
 *
 * @param minor the minor version of Kubernetes whose rules apply
 */
export type PodCheck = (pod: PodView, minor: number) => Violation | undefined;

const allowedCapabilities = new Set(
  "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT".split(
    " ",
  ),
);
/** Minor version of Kubernetes since which each sysctl is allowed. */
const sysctlsSince: Readonly<Record<string, number>> = {
  "kernel.shm_rmid_forced": 0,
  "net.ipv4.ip_local_port_range": 0,
  "net.ipv4.tcp_syncookies": 0,
  "net.ipv4.ping_group_range": 0,
  "net.ipv4.ip_unprivileged_port_start": 0,
  "net.ipv4.ip_local_reserved_ports": 27,
  "net.ipv4.tcp_keepalive_time": 29,
  "net.ipv4.tcp_fin_timeout": 29,
  "net.ipv4.tcp_keepalive_intvl": 29,
  "net.ipv4.tcp_keepalive_probes": 29,
  "net.ipv4.tcp_rmem": 32,
  "net.ipv4.tcp_wmem": 32,
};
const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";

const appArmorProfile: PodCheck = (pod) => {
  const isBad = (security: SecurityView | undefined): boolean =>
    security?.appArmorProfile !== undefined &&
    !["RuntimeDefault", "Localhost"].includes(security.appArmorProfile.type ?? "");
  const isPod = isBad(pod.spec.securityContext);
  const names = namesWhere(pod, ({ securityContext }) => isBad(securityContext));
  const bad = [pod.spec.securityContext, ...containersOf(pod).map((each) => each.securityContext)].filter(isBad);
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !/^($|runtime\/default$|localhost\/)/.test(value))
    .map(([key, value]) => `${key}=${quote(value)}`)
    .sort();
  const values = [...sortedSet(bad.map((each) => each?.appArmorProfile?.type ?? "")), ...annotations];
  if (values.length === 0) return undefined;
  const setters = [
    ...(isPod || names.length > 0 ? [settersText(isPod, names)] : []),
    ...(annotations.length > 0 ? [plural("annotation", "annotations", annotations.length)] : []),
  ];
  return {
    reason: plural("forbidden AppArmor profile", "forbidden AppArmor profiles", values.length),
    detail: `${setters.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

export const capabilitiesBaseline: PodCheck = (pod) => {
  const added = (names: readonly string[] = []): string[] => names.filter((name) => !allowedCapabilities.has(name));
  const names = namesWhere(pod, ({ securityContext }) => added(securityContext?.capabilities?.add).length > 0);
  if (names.length === 0) return undefined;
  const all = sortedSet(containersOf(pod).flatMap(({ securityContext }) => added(securityContext?.capabilities?.add)));
  return {
    reason: "non-default capabilities",
    detail: `${containersText(names)} must not include ${quoted(all)} in securityContext.capabilities.add`,
  };
};

const hostNamespaces: PodCheck = ({ spec }) => {
  const set = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec[field]);
  return set.length > 0
    ? { reason: "host namespaces", detail: set.map((field) => `${field}=true`).join(", ") }
    : undefined;
};

export const hostPathVolumes: PodCheck = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name = "" }) => name);
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${plural("volume", "volumes", names.length)} ${quoted(names)}` };
};

const hostPorts: PodCheck = (pod) => {
  const names = namesWhere(pod, ({ ports = [] }) => ports.some(({ hostPort }) => hostPort));
  if (names.length === 0) return undefined;
  const ports = sortedSet(
    containersOf(pod).flatMap((each) =>
      (each.ports ?? []).flatMap(({ hostPort }) => (hostPort ? String(hostPort) : [])),
    ),
  );
  const uses = plural("uses", "use", names.length);
  const what = plural("hostPort", "hostPorts", ports.length);
  return { reason: "hostPort", detail: `${containersText(names)} ${uses} ${what} ${ports.join(", ")}` };
};

const hostProbes: PodCheck = (pod, minor) => {
  if (minor < 34) return undefined;
  const hostsOf = (handler: HandlerView | undefined): string[] =>
    [handler?.httpGet?.host, handler?.tcpSocket?.host].flatMap((host) => host || []);
  const bad = containersOf(pod).map((each) => ({
    name: each.name ?? "",
    hosts: [
      each.livenessProbe,
      each.readinessProbe,
      each.startupProbe,
      each.lifecycle?.postStart,
      each.lifecycle?.preStop,
    ].flatMap(hostsOf),
  }));
  const names = sortedSet(bad.filter(({ hosts }) => hosts.length > 0).map(({ name }) => name));
  if (names.length === 0) return undefined;
  const hosts = sortedSet(bad.flatMap((each) => each.hosts));
  const what = plural("probe or lifecycle host", "probe or lifecycle hosts", hosts.length);
  return {
    reason: "probe or lifecycle host",
    detail: `${containersText(names)} ${plural("uses", "use", names.length)} ${what} ${quoted(hosts)}`,
  };
};

const privileged: PodCheck = (pod) => {
  const names = namesWhere(pod, ({ securityContext }) => securityContext?.privileged === true);
  if (names.length === 0) return undefined;
  return { reason: "privileged", detail: `${containersText(names)} must not set securityContext.privileged=true` };
};

export const procMount: PodCheck = (pod) => {
  const isBad = (type: string | undefined): type is string => type !== undefined && type !== "Default";
  const names = namesWhere(pod, ({ securityContext }) => isBad(securityContext?.procMount));
  if (names.length === 0) return undefined;
  const types = sortedSet(
    containersOf(pod)
      .map((each) => each.securityContext?.procMount)
      .filter(isBad),
  );
  const detail = `${containersText(names)} must not set securityContext.procMount to ${quoted(types)}`;
  return { reason: "procMount", detail };
};

export const procMountBaseline: PodCheck = (pod, minor) =>
  minor >= 35 && pod.spec.hostUsers === false ? undefined : procMount(pod, minor);

const seLinuxOptions: PodCheck = (pod, minor) => {
  const allowed = [
    "",
    "container_t",
    "container_init_t",
    "container_kvm_t",
    ...(minor >= 31 ? ["container_engine_t"] : []),
  ];
  const isBad = (security: SecurityView | undefined): boolean => {
    const { type = "", user, role } = security?.seLinuxOptions ?? {};
    return !allowed.includes(type) || Boolean(user) || Boolean(role);
  };
  const isPod = isBad(pod.spec.securityContext);
  const names = namesWhere(pod, ({ securityContext }) => isBad(securityContext));
  if (!isPod && names.length === 0) return undefined;
  const options = [pod.spec.securityContext, ...containersOf(pod).map((each) => each.securityContext)].flatMap(
    (security) => security?.seLinuxOptions ?? [],
  );
  const types = sortedSet(options.flatMap(({ type = "" }) => (allowed.includes(type) ? [] : type)));
  const data = [
    ...(types.length > 0 ? [`${plural("type", "types", types.length)} ${quoted(types)}`] : []),
    ...(options.some(({ user }) => user) ? ["user may not be set"] : []),
    ...(options.some(({ role }) => role) ? ["role may not be set"] : []),
  ];
  const detail = `${settersText(isPod, names)} set forbidden securityContext.seLinuxOptions: ${data.join("; ")}`;
  return { reason: "seLinuxOptions", detail };
};

const isSeccomp = (type: string | undefined): boolean => type === "Localhost" || type === "RuntimeDefault";

/** Checks that neither a pod nor its containers use a forbidden seccomp profile. */
export const seccompProfile: PodCheck = (pod) => {
  const isBad = (security: SecurityView | undefined): boolean =>
    security?.seccompProfile !== undefined && !isSeccomp(security.seccompProfile.type);
  const isPod = isBad(pod.spec.securityContext);
  const names = namesWhere(pod, ({ securityContext }) => isBad(securityContext));
  if (!isPod && names.length === 0) return undefined;
  const bad = [pod.spec.securityContext, ...containersOf(pod).map((each) => each.securityContext)].filter(isBad);
  const values = sortedSet(bad.map((each) => each?.seccompProfile?.type ?? ""));
  const detail = `${settersText(isPod, names)} must not set securityContext.seccompProfile.type to ${quoted(values)}`;
  return { reason: "seccompProfile", detail };
};

/** Checks the seccomp profiles. Before Kubernetes 1.19, they were set in annotations. */
export const seccompBaseline: PodCheck = (pod, minor) => {
  if (minor >= 19) return seccompProfile(pod, minor);
  const keys = [
    "seccomp.security.alpha.kubernetes.io/pod",
    ...containersOf(pod).map(({ name }) => `container.seccomp.security.alpha.kubernetes.io/${name}`),
  ];
  const forbidden = sortedSet(
    keys.flatMap((key) => {
      const value = ownMember(pod.annotations, key);
      const isFine = value === undefined || /^(runtime\/default$|docker\/default$|localhost\/)/.test(value);
      return isFine ? [] : `${key}=${quote(value)}`;
    }),
  );
  if (forbidden.length === 0) return undefined;
  const what = plural("annotation", "annotations", forbidden.length);
  return { reason: "seccompProfile", detail: `forbidden ${what} ${forbidden.join(", ")}` };
};

const sysctls: PodCheck = ({ spec }, minor) => {
  const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name);
  const forbidden = names.filter((name) => {
    const since = ownMember(sysctlsSince, name);
    return since === undefined || since > minor;
  });
  return forbidden.length > 0 ? { reason: "forbidden sysctls", detail: forbidden.join(", ") } : undefined;
};

const windowsHostProcess: PodCheck = (pod) => {
  const isPod = pod.spec.securityContext?.windowsOptions?.hostProcess === true;
  const names = namesWhere(pod, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true);
  if (!isPod && names.length === 0) return undefined;
  const detail = `${settersText(isPod, names)} must not set securityContext.windowsOptions.hostProcess=true`;
  return { reason: "hostProcess", detail };
};

/** The checks for the `baseline` level, in the same order as in upstream. @see pod-security-admission policy */
export const baselineChecks: readonly PodCheck[] = [
  appArmorProfile,
  capabilitiesBaseline,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbes,
  privileged,
  procMountBaseline,
  seLinuxOptions,
  seccompBaseline,
  sysctls,
  windowsHostProcess,
];
