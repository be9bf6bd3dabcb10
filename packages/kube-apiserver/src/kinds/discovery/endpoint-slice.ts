import { isIPv4, isIPv6 } from "node:net";
import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  type KubeObject,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { immutable, messages, oneOf } from "../checks.ts";
import { column, firstThree } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface EndpointSlice extends KubeObject {
  addressType?: string;
  endpoints?: {
    addresses?: string[];
    conditions?: object;
    hostname?: string;
    nodeName?: string;
    hints?: { forZones?: { name?: string }[]; forNodes?: { name?: string }[] };
    deprecatedTopology?: object;
  }[];
  ports?: { name?: string; protocol?: string; port?: number; appProtocol?: string }[];
}

const addressTypes = ["FQDN", "IPv4", "IPv6"];
const protocols = ["SCTP", "TCP", "UDP"];
const maxEndpoints = 1_000;
const maxPorts = 20_000;
const maxAddresses = 100;

function addressErrors({ addressType = "", endpoints = [] }: EndpointSlice): FieldError[] {
  const at = fieldPath("endpoints");
  if (endpoints.length > maxEndpoints) return [fieldError.tooMany(at, endpoints.length, maxEndpoints)];
  return endpoints.flatMap(({ addresses = [], hostname, nodeName, hints }, i) => {
    const path = at.index(i).child("addresses");
    if (addresses.length === 0) return [fieldError.required(path, "must contain at least 1 address")];
    if (addresses.length > maxAddresses) return [fieldError.tooMany(path, addresses.length, maxAddresses)];
    return [
      ...addresses.flatMap((address, j) => oneAddressErrors(address, addressType, path, j)),
      ...(nodeName ? messages(nodeName, isDns1123Subdomain(nodeName), at.index(i).child("nodeName")) : []),
      ...(hostname ? messages(hostname, isDns1123Label(hostname), at.index(i).child("hostname")) : []),
      ...(hints ? hintErrors(hints.forZones ?? [], at.index(i).child("hints", "forZones")) : []),
    ];
  });
}

const maxZones = 8;

function hintErrors(zones: readonly { name?: string }[], at: FieldPath): FieldError[] {
  if (zones.length > maxZones) return [fieldError.tooMany(at, zones.length, maxZones)];
  return zones.flatMap(({ name = "" }, i) => {
    const path = at.index(i).child("name");
    const isTaken = zones.slice(0, i).some((zone) => (zone.name ?? "") === name);
    return isTaken ? [fieldError.duplicate(path, name)] : messages(name, isLabelValue(name), path);
  });
}

function oneAddressErrors(address: string, type: string, list: FieldPath, position: number): FieldError[] {
  const at = list.index(position);
  if (type === "FQDN") return messages(address, isDns1123Subdomain(address), at);
  const family = isIPv4(address) ? "IPv4" : isIPv6(address) ? "IPv6" : undefined;
  if (family === undefined)
    return [fieldError.invalid(at, address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
  // If the address family is wrong, upstream's error refers to the list rather than to the item.
  const wrongFamily =
    type === family || !addressTypes.includes(type)
      ? []
      : [fieldError.invalid(list, address, `must be an ${type} address`)];
  return [...wrongFamily, ...messages(address, specialAddressProblems(address), at)];
}

/** Returns the reasons that an endpoint cannot have an address. @see pkg/apis/core/validation ValidateEndpointIP */
function specialAddressProblems(address: string): string[] {
  const text = address.toLowerCase();
  if (text === "0.0.0.0" || text === "::") return [`may not be unspecified (${address})`];
  if (/^127\./.test(text) || text === "::1") return ["may not be in the loopback range (127.0.0.0/8, ::1/128)"];
  if (/^169\.254\./.test(text) || /^fe[89ab]/.test(text))
    return ["may not be in the link-local range (169.254.0.0/16, fe80::/10)"];
  if (/^224\.0\.0\./.test(text) || /^ff02:/.test(text))
    return ["may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"];
  return [];
}

function portErrors({ ports = [] }: EndpointSlice): FieldError[] {
  const at = fieldPath("ports");
  if (ports.length > maxPorts) return [fieldError.tooMany(at, ports.length, maxPorts)];
  const names = new Set<string>();
  return ports.flatMap(({ name = "", protocol, appProtocol }, i) => {
    const path = at.index(i);
    const errors = name === "" ? [] : messages(name, isDns1123Label(name), path.child("name"));
    if (names.has(name)) errors.push(fieldError.duplicate(path.child("name"), name));
    names.add(name);
    return [
      ...errors,
      ...oneOf(protocol, protocols, path.child("protocol")),
      ...(appProtocol === undefined
        ? []
        : messages(appProtocol, validateQualifiedName(appProtocol), path.child("appProtocol"))),
    ];
  });
}

function validate(slice: EndpointSlice): FieldError[] {
  return [
    ...oneOf(slice.addressType, addressTypes, fieldPath("addressType")),
    ...addressErrors(slice),
    ...portErrors(slice),
  ];
}

/** Removes the topology of endpoints, which only an older version of the kind can set. */
function dropTopology({ endpoints = [] }: EndpointSlice): void {
  for (const endpoint of endpoints) delete endpoint.deprecatedTopology;
}

/** Strategy for EndpointSlices. @see pkg/registry/discovery/endpointslice strategy.go */
export const endpointSliceStrategy = defineStrategy<EndpointSlice>({
  declaredFields: ["addressType", "endpoints[].addresses"],
  countsGeneration: true,
  generationAlsoCounts: "labels",
  applyDefaults({ endpoints = [], ports = [] }) {
    for (const endpoint of endpoints) endpoint.conditions ??= {};
    for (const port of ports) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
  // runs after the generation has been incremented, because changes to removed fields also increment it
  canonicalize: dropTopology,
  validate,
  validateUpdate: (slice, old) => [
    ...validate(slice),
    ...immutable(slice.addressType ?? "", old.addressType, fieldPath("addressType")),
  ],
  columns: [
    nameColumn,
    column("AddressType", ({ addressType }) => addressType ?? ""),
    column("Ports", ({ ports }) =>
      firstThree((ports ?? []).map(({ port, name }) => (port === undefined ? name || "*" : `${port}`))),
    ),
    column("Endpoints", ({ endpoints }) => firstThree((endpoints ?? []).flatMap(({ addresses }) => addresses ?? []))),
    ageColumn,
  ],
});
