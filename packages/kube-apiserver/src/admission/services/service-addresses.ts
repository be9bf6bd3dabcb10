import { isIPv4 } from "node:net";
import { type FieldError, fieldError, internalError, toAggregateInvalid } from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin } from "@kubewright/apiserver/admission";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import type { Random } from "@kubewright/clock";
import { addressAt, isInRange, type ServiceRange } from "./service-range.ts";
import { ServiceReservations } from "./service-reservations.ts";

interface Port {
  readonly port?: number;
  readonly protocol?: string;
  nodePort?: number;
}

interface Spec {
  type?: string;
  clusterIP?: string;
  clusterIPs?: string[];
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  selector?: Readonly<Record<string, string>>;
  ports?: Port[];
  externalTrafficPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
}

interface ServiceObject {
  spec?: Spec;
}

const asService = (object: unknown): ServiceObject => object as ServiceObject;
type ReadServices = () => Promise<readonly ReadonlyObject[]>;

const headless = "None";
const nodePorts = { first: 30_000, last: 32_767 } as const;

/**
 * Allocates cluster addresses and node ports for Services. Runs after all other mutating plugins, because upstream
 * allocates addresses and ports even later, in the registry.
 *
 * @see kubernetes pkg/registry/core/service/storage alloc
 */
export function serviceAddresses(services: ReadServices, range: ServiceRange, random: Random): AdmissionPlugin {
  const reservations = new ServiceReservations();
  return {
    name: "ServiceAddresses",
    resources: ["services"],
    handles: (operation) => operation === "CREATE" || operation === "UPDATE",
    async admit(attributes) {
      const { resource, subresource, object } = attributes;
      if (resource.group !== "" || resource.resource !== "services" || subresource !== "" || !object) return;
      const service = asService(object);
      const spec = service.spec ?? {};
      service.spec = spec;
      const old = attributes.oldObject && asService(attributes.oldObject).spec;
      if (old) keepAllocated(spec, old);
      const { namespace, name, signal, dryRun } = attributes;
      const owner = name === "" ? attributes : `${namespace}/${name}`;
      const errors = await reservations.whileReading(services, (listed, reservedBeside) => {
        const others = listed.filter((other) => !isSame(other, attributes)).map(asService);
        const reserved = reservedBeside(owner);
        const found = [
          ...allocateAddress(spec, old, others, reserved, { range, random }),
          ...allocateNodePorts(spec, old, others, reserved, random),
        ];
        if (found.length === 0 && signal && !dryRun)
          for (const allocation of allocationsOf(spec)) reservations.reserve(allocation, owner, signal);
        return found;
      });
      if (errors.length > 0) throw toAggregateInvalid({ group: "", kind: "Service" }, attributes.name, errors);
    },
  };
}

const isSame = ({ metadata }: ReadonlyObject, { namespace, name }: AdmissionAttributes): boolean =>
  metadata.namespace === namespace && metadata.name === name;

const allocationsOf = (spec: Spec): (string | number)[] => [
  ...(wantsAddress(spec) && spec.clusterIP ? [spec.clusterIP] : []),
  ...(spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : [])),
];

const wantsAddress = ({ type = "ClusterIP", clusterIP = "" }: Spec): boolean =>
  type !== "ExternalName" && clusterIP !== headless;
const wantsNodePorts = ({ type, allocateLoadBalancerNodePorts = true }: Spec): boolean =>
  type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts);

/** Keeps the allocated address and ports of a Service if an update does not contain them. */
function keepAllocated(spec: Spec, old: Spec): void {
  const [first] = spec.clusterIPs ?? [];
  if (spec.clusterIP && spec.clusterIP !== old.clusterIP && first === old.clusterIPs?.[0])
    spec.clusterIPs = [spec.clusterIP];
  else if (first && first !== old.clusterIPs?.[0] && spec.clusterIP === old.clusterIP) spec.clusterIP = first;
  if (spec.type !== "ExternalName" && old.type !== "ExternalName" && !spec.clusterIP && !spec.clusterIPs?.length) {
    if (old.clusterIP) spec.clusterIP = old.clusterIP;
    if (old.clusterIPs) spec.clusterIPs = [...old.clusterIPs];
  }
  const isExternal = ({ type }: Spec): boolean => type === "NodePort" || type === "LoadBalancer";
  if (isExternal(old) && !isExternal(spec) && spec.externalTrafficPolicy === old.externalTrafficPolicy)
    delete spec.externalTrafficPolicy;
  if (!wantsNodePorts(spec) || !wantsNodePorts(old)) return;
  for (const port of spec.ports ?? []) {
    const before = old.ports?.find((other) => other.port === port.port && other.protocol === port.protocol);
    if (!port.nodePort && before?.nodePort) port.nodePort = before.nodePort;
  }
}

function allocateAddress(
  spec: Spec,
  old: Spec | undefined,
  others: readonly ServiceObject[],
  reserved: readonly (string | number)[],
  { range, random }: { readonly range: ServiceRange; readonly random: Random },
): FieldError[] {
  if (spec.type === "ExternalName") return [];
  spec.clusterIP ||= spec.clusterIPs?.[0] ?? "";
  const taken = new Set<unknown>([...others.map((other) => other.spec?.clusterIP), ...reserved]);
  const errors: FieldError[] = [];
  if (wantsAddress(spec)) {
    if (spec.clusterIP === "") spec.clusterIP = freeAddress(taken, range, random);
    else if (spec.clusterIP !== old?.clusterIP && isIPv4(spec.clusterIP) && !isInRange(range, spec.clusterIP))
      errors.push(
        fieldError.invalid(
          "spec.clusterIPs",
          [spec.clusterIP],
          `failed to allocate IP ${spec.clusterIP}: the provided IP (${spec.clusterIP}) is not in the valid range. The range of valid IPs is ${range.text}`,
        ),
      );
    else if (spec.clusterIP !== old?.clusterIP && taken.has(spec.clusterIP))
      errors.push(
        fieldError.invalid(
          "spec.clusterIPs",
          [spec.clusterIP],
          `failed to allocate IP ${spec.clusterIP}: provided IP is already allocated`,
        ),
      );
  }
  if (!spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
  // a headless service without a selector may have endpoints of both families
  const isForeign = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0 && !spec.ipFamilies;
  const isDual = isForeign && !old && spec.ipFamilyPolicy === undefined;
  spec.ipFamilies ??= [...(old?.ipFamilies ?? (isDual ? ["IPv4", "IPv6"] : ["IPv4"]))];
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (isDual ? "RequireDualStack" : "SingleStack");
  return errors;
}

/**
 * Returns an unused address in the range.
 *
 * @throws {StatusError} 500 if all addresses are in use
 */
function freeAddress(taken: ReadonlySet<unknown>, range: ServiceRange, random: Random): string {
  const count = range.size - 2;
  const start = random.integer(count);
  for (let i = 0; i < count; i++) {
    const address = addressAt(range, 1 + ((start + i) % count));
    if (!taken.has(address)) return address;
  }
  throw internalError("failed to allocate a serviceIP: range is full");
}

function allocateNodePorts(
  spec: Spec,
  old: Spec | undefined,
  others: readonly ServiceObject[],
  reserved: readonly (string | number)[],
  random: Random,
): FieldError[] {
  if (!wantsNodePorts(spec)) {
    const hadPorts = old && wantsNodePorts(old);
    for (const port of spec.ports ?? []) if (hadPorts && port.nodePort && isPortOf(old, port)) delete port.nodePort;
    return [];
  }
  const used = others.flatMap((other) => (other.spec?.ports ?? []).map(({ nodePort }) => nodePort));
  const taken = new Set<unknown>([...used, ...reserved]);
  return (spec.ports ?? []).flatMap((port, index) => {
    const at = `spec.ports[${index}].nodePort`;
    const { nodePort } = port;
    if (!nodePort) {
      const free = freeNodePort(taken, random);
      if (free === undefined) return [fieldError.internal(at, "failed to allocate a nodePort: range is full")];
      port.nodePort = free;
      taken.add(free);
      return [];
    }
    if (nodePort < nodePorts.first || nodePort > nodePorts.last)
      return [
        fieldError.invalid(
          at,
          nodePort,
          `provided port is not in the valid range. The range of valid ports is ${nodePorts.first}-${nodePorts.last}`,
        ),
      ];
    return taken.has(nodePort) ? [fieldError.invalid(at, nodePort, "provided port is already allocated")] : [];
  });
}

const isPortOf = (old: Spec | undefined, { nodePort }: Port): boolean =>
  old?.ports?.some((port) => port.nodePort === nodePort) ?? false;

function freeNodePort(taken: ReadonlySet<unknown>, random: Random): number | undefined {
  const count = nodePorts.last - nodePorts.first + 1;
  const start = random.integer(count);
  for (let i = 0; i < count; i++) {
    const port = nodePorts.first + ((start + i) % count);
    if (!taken.has(port)) return port;
  }
  return undefined;
}
