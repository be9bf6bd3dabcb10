import { isIP } from "node:net";
import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { labelErrors } from "@kubewright/apiserver/registry";
import { messages, oneOf } from "../../checks.ts";
import { isValidPortName, isValidPortNumber } from "../../names.ts";
import { endpointAddressErrors } from "./endpoint-address.ts";
import {
  affinityErrors,
  balancerErrors,
  classErrors,
  distributionErrors,
  healthCheckErrors,
  needsHealthCheck,
} from "./service-details.ts";
import type { Service, ServicePort } from "./service-types.ts";

const at = fieldPath("spec");
const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const affinities = ["ClientIP", "None"];
const protocols = ["SCTP", "TCP", "UDP"];
const familyPolicies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const trafficPolicies = ["Cluster", "Local"];

/** Returns the errors in a Service. @see pkg/apis/core/validation ValidateService */
export function validateService({ spec = {} }: Service): FieldError[] {
  const { type = "", ports = [], clusterIPs = [] } = spec;
  const isHeadless = clusterIPs[0] === "None";
  return [
    ...(ports.length === 0 && !isHeadless && type !== "ExternalName" ? [fieldError.required(at.child("ports"))] : []),
    ...typeErrors(spec),
    ...portErrors(ports),
    ...labelErrors(spec.selector, at.child("selector")),
    ...oneOf(spec.sessionAffinity, affinities, at.child("sessionAffinity")),
    ...affinityErrors(spec),
    ...clusterIPs.flatMap((address, i) =>
      address === "None" || address === "" ? [] : addressErrors(address, at.child("clusterIPs").index(i)),
    ),
    ...(spec.ipFamilies ?? []).flatMap((family, i) =>
      ["IPv4", "IPv6"].includes(family)
        ? []
        : [fieldError.notSupported(at.child("ipFamilies").index(i), family, ["IPv4", "IPv6"])],
    ),
    ...(spec.ipFamilies ?? []).flatMap((family, i, all) =>
      all.indexOf(family) < i ? [fieldError.duplicate(at.child("ipFamilies").index(i), family)] : [],
    ),
    ...(spec.ipFamilyPolicy === undefined || familyPolicies.includes(spec.ipFamilyPolicy)
      ? []
      : [fieldError.notSupported(at.child("ipFamilyPolicy"), spec.ipFamilyPolicy, familyPolicies)]),
    ...(spec.externalIPs ?? []).flatMap((address, i) => {
      const path = at.child("externalIPs").index(i);
      const wrong = addressErrors(address, path);
      return wrong.length > 0 ? wrong : endpointAddressErrors(address, path);
    }),
    ...oneOf(type, types, at.child("type")),
    ...nodePortErrors(ports, type),
    ...duplicatePorts(ports),
    ...balancerErrors(spec),
    ...policyErrors(spec, type),
    ...distributionErrors(spec),
  ];
}

const addressErrors = (address: string, path: FieldPath): FieldError[] =>
  isIP(address) === 0
    ? [fieldError.invalid(path, address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")]
    : [];

function typeErrors(spec: NonNullable<Service["spec"]>): FieldError[] {
  const first = spec.clusterIPs?.[0];
  const headless = (type: string): FieldError[] =>
    first === "None"
      ? [fieldError.invalid(at.child("clusterIPs").index(0), first, `may not be set to 'None' for ${type} services`)]
      : [];
  if (spec.type === "LoadBalancer" || spec.type === "NodePort") return headless(spec.type);
  if (spec.type !== "ExternalName") return [];
  const { externalName } = spec;
  return [
    ...(spec.clusterIPs?.length
      ? [fieldError.forbidden(at.child("clusterIPs"), "may not be set for ExternalName services")]
      : []),
    ...(externalName
      ? messages(externalName, isDns1123Subdomain(externalName.replace(/\.$/, "")), at.child("externalName"))
      : [fieldError.required(at.child("externalName"))]),
  ];
}

function portErrors(ports: readonly ServicePort[]): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const path = at.child("ports").index(i);
    const errors: FieldError[] = [];
    if (port.name) {
      errors.push(...messages(port.name, isDns1123Label(port.name), path.child("name")));
      if (names.has(port.name)) errors.push(fieldError.duplicate(path.child("name"), port.name));
      names.add(port.name);
    } else if (ports.length > 1) {
      errors.push(fieldError.required(path.child("name")));
    }
    errors.push(...messages(port.port ?? 0, isValidPortNumber(port.port ?? 0), path.child("port")));
    errors.push(...oneOf(port.protocol, protocols, path.child("protocol")));
    const { targetPort } = port;
    if (typeof targetPort === "string")
      errors.push(...messages(targetPort, isValidPortName(targetPort), path.child("targetPort")));
    else if (targetPort !== undefined)
      errors.push(...messages(targetPort, isValidPortNumber(targetPort), path.child("targetPort")));
    if (port.appProtocol !== undefined)
      errors.push(...messages(port.appProtocol, validateQualifiedName(port.appProtocol), path.child("appProtocol")));
    return errors;
  });
}

function nodePortErrors(ports: readonly ServicePort[], type: string): FieldError[] {
  const taken = new Set<string>();
  return ports.flatMap(({ nodePort, protocol }, i) => {
    if (!nodePort) return [];
    const path = at.child("ports").index(i).child("nodePort");
    if (type === "ClusterIP") return [fieldError.forbidden(path, "may not be used when `type` is 'ClusterIP'")];
    const key = `${protocol}/${nodePort}`;
    if (taken.has(key)) return [fieldError.duplicate(path, nodePort)];
    taken.add(key);
    return [];
  });
}

function duplicatePorts(ports: readonly ServicePort[]): FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap(({ protocol = "", port = 0 }, i) => {
    const key = `${protocol}/${port}`;
    if (seen.has(key)) return [fieldError.duplicate(at.child("ports").index(i), internalPort(protocol, port))];
    seen.add(key);
    return [];
  });
}

/** Returns a port as upstream's messages show it, with the member names of its internal type. */
const internalPort = (protocol: string, port: number): unknown => ({
  Name: "",
  Protocol: protocol,
  AppProtocol: null,
  Port: port,
  TargetPort: 0,
  NodePort: 0,
});

function policyErrors(spec: NonNullable<Service["spec"]>, type: string): FieldError[] {
  const isExternal = type === "NodePort" || type === "LoadBalancer" || (spec.externalIPs?.length ?? 0) > 0;
  const { externalTrafficPolicy, internalTrafficPolicy } = spec;
  return [
    ...(externalTrafficPolicy === undefined
      ? []
      : isExternal
        ? oneOf(externalTrafficPolicy, trafficPolicies, at.child("externalTrafficPolicy"))
        : [
            fieldError.invalid(
              at.child("externalTrafficPolicy"),
              externalTrafficPolicy,
              "may only be set for externally-accessible services",
            ),
          ]),
    ...healthCheckErrors(spec),
    ...(internalTrafficPolicy === undefined
      ? []
      : oneOf(internalTrafficPolicy, trafficPolicies, at.child("internalTrafficPolicy"))),
  ];
}

/** True if a cluster address is neither an IP address nor `None`. */
const isOdd = (address: string | undefined): boolean =>
  address !== undefined && address !== "None" && isIP(address) === 0;

/** Returns errors for forbidden changes to a Service. */
export function validateServiceUpdate(service: Service, old: Readonly<Service>): FieldError[] {
  const next = service.spec ?? {};
  const before = old.spec ?? {};
  const [address] = before.clusterIPs ?? [];
  const errors: FieldError[] = [];
  const [given] = next.clusterIPs ?? [];
  if (before.type !== "ExternalName" && next.type !== "ExternalName" && address && given !== address && !isOdd(given))
    errors.push(
      fieldError.invalid(at.child("clusterIPs").index(0), next.clusterIPs ?? null, "may not change once set"),
    );
  const balancerClass = at.child("loadBalancerClass");
  if (
    before.type === "LoadBalancer" &&
    next.type === "LoadBalancer" &&
    next.loadBalancerClass !== before.loadBalancerClass
  )
    errors.push(fieldError.invalid(balancerClass, next.loadBalancerClass ?? null, "may not change once set"));
  errors.push(...classErrors(next, "may only be used when `type` is 'LoadBalancer'"));
  if (
    needsHealthCheck(before) &&
    needsHealthCheck(next) &&
    (next.healthCheckNodePort ?? 0) !== (before.healthCheckNodePort ?? 0)
  )
    errors.push(fieldError.forbidden(at.child("healthCheckNodePort"), "field is immutable"));
  return [...errors, ...validateService(service)];
}
