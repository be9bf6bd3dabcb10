import { isIP } from "node:net";
import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  type KubeObject,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { messages, oneOf } from "../../checks.ts";
import { column } from "../../columns.ts";
import { defineStrategy } from "../../define-strategy.ts";
import { isValidPortNumber } from "../../names.ts";
import { endpointAddressErrors } from "./endpoint-address.ts";

interface Address {
  ip?: string;
  hostname?: string;
  nodeName?: string;
}

interface Port {
  name?: string;
  port?: number;
  protocol?: string;
  appProtocol?: string;
}

interface Endpoints extends KubeObject {
  subsets?: { addresses?: Address[]; notReadyAddresses?: Address[]; ports?: Port[] }[];
}

const protocols = ["SCTP", "TCP", "UDP"];

function addressErrors({ ip = "", hostname, nodeName }: Address, at: FieldPath): FieldError[] {
  const text = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
  return [
    ...(isIP(ip) === 0 ? [fieldError.invalid(at.child("ip"), ip, text)] : []),
    ...(hostname ? messages(hostname, isDns1123Label(hostname), at.child("hostname")) : []),
    ...(nodeName === undefined ? [] : messages(nodeName, isDns1123Subdomain(nodeName), at.child("nodeName"))),
    ...endpointAddressErrors(ip, at.child("ip")),
  ];
}

function portErrors(port: Port, isOneOfMany: boolean, at: FieldPath): FieldError[] {
  const { name = "", port: number = 0, protocol = "", appProtocol } = port;
  return [
    ...(name === "" && isOneOfMany ? [fieldError.required(at.child("name"))] : []),
    ...(name === "" ? [] : messages(name, isDns1123Label(name), at.child("name"))),
    ...messages(number, isValidPortNumber(number), at.child("port")),
    ...oneOf(protocol, protocols, at.child("protocol")),
    ...(appProtocol === undefined
      ? []
      : messages(appProtocol, validateQualifiedName(appProtocol), at.child("appProtocol"))),
  ];
}

function validate({ subsets = [] }: Endpoints): FieldError[] {
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, i) => {
    const at = fieldPath("subsets").index(i);
    return [
      ...(addresses.length + notReadyAddresses.length === 0
        ? [fieldError.required(at, "must specify `addresses` or `notReadyAddresses`")]
        : []),
      ...addresses.flatMap((address, j) => addressErrors(address, at.child("addresses").index(j))),
      ...notReadyAddresses.flatMap((address, j) => addressErrors(address, at.child("notReadyAddresses").index(j))),
      ...ports.flatMap((port, j) => portErrors(port, ports.length > 1, at.child("ports").index(j))),
    ];
  });
}

const hostPort = (ip: string, port: number): string => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`);

function endpointsCell({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip = "" }) => ip)
      : ports.flatMap(({ port = 0 }) => addresses.map(({ ip = "" }) => hostPort(ip, port))),
  );
  const shown = all.slice(0, 3).join(",");
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown;
}

/** Strategy for Endpoints. @see pkg/registry/core/endpoint strategy.go */
export const endpointsStrategy = defineStrategy<Endpoints>({
  allowCreateOnUpdate: true,
  applyDefaults({ subsets = [] }) {
    for (const { ports = [] } of subsets) for (const port of ports) port.protocol ||= "TCP";
  },
  validate,
  columns: [nameColumn, column("Endpoints", endpointsCell), ageColumn],
});
