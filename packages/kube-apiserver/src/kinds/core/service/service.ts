import { fieldError, fieldPath, jsonEqual } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { column, labelsCell } from "../../columns.ts";
import { defineStrategy } from "../../define-strategy.ts";
import { dropUseless } from "./service-details.ts";
import type { Service } from "./service-types.ts";
import { validateService, validateServiceUpdate } from "./service-validation.ts";

const isExternal = (type: string | undefined): boolean => type === "NodePort" || type === "LoadBalancer";

function externalAddress({ spec = {}, status }: Service): string {
  const { type, externalIPs = [] } = spec;
  if (type === "ExternalName") return spec.externalName ?? "";
  if (type === "ClusterIP" || type === "NodePort") return externalIPs.join(",") || "<none>";
  if (type !== "LoadBalancer") return "<unknown>";
  const balanced = (status?.loadBalancer?.ingress ?? [])
    .map(({ ip, hostname }) => ip || hostname || "")
    .filter(Boolean);
  return [...balanced, ...externalIPs].join(",") || "<pending>";
}

function portsCell({ spec }: Service): string {
  const ports = (spec?.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return ports.join(",") || "<none>";
}

/** Copies the cluster address between `clusterIP` and `clusterIPs`, because a client may set only one of the two fields. */
function settleAddresses(service: Service): void {
  const { spec } = service;
  if (!spec) return;
  if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
  if (!spec.clusterIP && spec.clusterIPs?.[0]) spec.clusterIP = spec.clusterIPs[0];
}

/**
 * Strategy for Services. Their addresses and node ports are allocated after `prepareForCreate`.
 *
 * @see pkg/registry/core/service strategy.go
 */
export const serviceStrategy = defineStrategy<Service>({
  nameRule: "label",
  allowCreateOnUpdate: true,
  returnDeletedObject: true,
  applyDefaults(service) {
    service.spec ??= {};
    const { spec } = service;
    spec.sessionAffinity ||= "None";
    if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
    if (spec.sessionAffinity === "ClientIP") {
      const { clientIP } = spec.sessionAffinityConfig ?? {};
      spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10_800, ...clientIP } };
    }
    spec.type ||= "ClusterIP";
    for (const port of spec.ports ?? []) {
      port.protocol ||= "TCP";
      if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "") {
        port.targetPort = port.port ?? 0;
      }
    }
    if (isExternal(spec.type) || (spec.externalIPs?.length ?? 0) > 0) spec.externalTrafficPolicy ||= "Cluster";
    if (spec.type !== "ExternalName") spec.internalTrafficPolicy ??= "Cluster";
    if (spec.type === "LoadBalancer") spec.allocateLoadBalancerNodePorts ??= true;
  },
  prepareForCreate(service) {
    settleAddresses(service);
    if (service.spec && service.spec.type !== "ExternalName") {
      service.spec.ipFamilies ??= ["IPv4"];
      service.spec.ipFamilyPolicy ??= "SingleStack";
    }
    service.status = { loadBalancer: {} };
  },
  prepareForUpdate(service, old) {
    const { spec } = service;
    if (!spec) return;
    settleAddresses(service);
    dropUseless(spec, old.spec ?? {});
    if (spec.type === "ExternalName") {
      dropAddresses(spec, old.spec ?? {});
      return;
    }
    const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy, ports = [] } = old.spec ?? {};
    if (!spec.clusterIP && clusterIP) spec.clusterIP = clusterIP;
    if (!spec.clusterIPs?.length && clusterIPs) spec.clusterIPs = [...clusterIPs];
    spec.ipFamilies ??= [...(ipFamilies ?? ["IPv4"])];
    spec.ipFamilyPolicy ??= ipFamilyPolicy ?? "SingleStack";
    if (spec.type === "LoadBalancer" && old.spec?.type === "LoadBalancer" && !spec.healthCheckNodePort)
      if (
        spec.externalTrafficPolicy === "Local" &&
        old.spec.externalTrafficPolicy === "Local" &&
        old.spec.healthCheckNodePort
      )
        spec.healthCheckNodePort = old.spec.healthCheckNodePort;
    if (!isExternal(spec.type)) return;
    for (const port of spec.ports ?? []) {
      const before = ports.find((other) => other.port === port.port && other.protocol === port.protocol);
      if (!port.nodePort && before?.nodePort) port.nodePort = before.nodePort;
    }
  },
  validate: validateService,
  validateUpdate: validateServiceUpdate,
  validateStatusUpdate: ({ spec, status }) =>
    status?.loadBalancer?.ingress?.length && spec?.type !== "LoadBalancer"
      ? [
          fieldError.forbidden(
            fieldPath("status", "loadBalancer", "ingress"),
            "may only be used when `spec.type` is 'LoadBalancer'",
          ),
        ]
      : [],
  warningsOnCreate: ({ spec }) => externalWarnings(spec),
  warningsOnUpdate: ({ spec }) => externalWarnings(spec),
  columns: [
    nameColumn,
    column("Type", ({ spec }) => spec?.type ?? ""),
    column("Cluster-IP", ({ spec }) => spec?.clusterIPs?.[0] ?? "<none>"),
    column("External-IP", externalAddress),
    column("Port(s)", portsCell),
    ageColumn,
    column("Selector", ({ spec }) => labelsCell(spec?.selector), { wide: true }),
  ],
  selectableFields: {
    "spec.clusterIP": ({ spec }) => spec?.clusterIP ?? "",
    "spec.type": ({ spec }) => spec?.type ?? "",
  },
});

/** Removes the cluster addresses of a Service whose type changes to `ExternalName`, unless the client has changed them. */
function dropAddresses(spec: NonNullable<Service["spec"]>, old: NonNullable<Service["spec"]>): void {
  if (old.type === "ExternalName") return;
  for (const name of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"] as const)
    if (jsonEqual(spec[name] ?? null, old[name] ?? null)) delete spec[name];
}

function externalWarnings(spec: Service["spec"]): string[] {
  return [
    ...(spec?.externalIPs?.length
      ? ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"]
      : []),
    ...(spec?.trafficDistribution === "PreferClose"
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}
