import type { ApiServerOptions } from "@kubewright/kube-apiserver";
import type { FlagValues } from "../flags/flag-values.ts";
import { authenticationFlags } from "./authentication-flags.ts";
import { authorizationFlags } from "./authorization-flags.ts";
import {
  asBoolean,
  asLimit,
  asList,
  asMilliseconds,
  asNumber,
  asText,
  flagsOf,
  type OptionReaders,
  readOptions,
} from "./option-readers.ts";

type PlainOptions = Pick<
  ApiServerOptions,
  | "advertiseAddress"
  | "auditLogCompress"
  | "auditLogMaxAge"
  | "auditLogMaxBackup"
  | "auditLogMaxSize"
  | "auditLogPath"
  | "auditPolicyFile"
  | "admissionControlConfigFile"
  | "enableAdmissionPlugins"
  | "disableAdmissionPlugins"
  | "proxyClientCertFile"
  | "proxyClientKeyFile"
  | "eventTtlSeconds"
  | "requestTimeoutMs"
  | "serviceClusterIpRange"
>;

/** Flags that each set one option of the server. */
const plainFlags: OptionReaders<PlainOptions> = {
  advertiseAddress: ["advertise-address", asText],
  auditLogCompress: ["audit-log-compress", asBoolean],
  auditLogMaxAge: ["audit-log-maxage", asLimit(asNumber)],
  auditLogMaxBackup: ["audit-log-maxbackup", asLimit(asNumber)],
  auditLogMaxSize: ["audit-log-maxsize", asLimit(asNumber)],
  auditLogPath: ["audit-log-path", asText],
  auditPolicyFile: ["audit-policy-file", asText],
  admissionControlConfigFile: ["admission-control-config-file", asText],
  enableAdmissionPlugins: ["enable-admission-plugins", asList],
  disableAdmissionPlugins: ["disable-admission-plugins", asList],
  proxyClientCertFile: ["proxy-client-cert-file", asText],
  proxyClientKeyFile: ["proxy-client-key-file", asText],
  eventTtlSeconds: ["event-ttl", (values, flag) => asMilliseconds(values, flag) / 1_000],
  requestTimeoutMs: ["request-timeout", asMilliseconds],
  serviceClusterIpRange: ["service-cluster-ip-range", firstIpv4Range],
};

/** Returns the first IPv4 range in the flag, which is the range that the server uses. */
function firstIpv4Range(values: FlagValues, flag: string): string {
  const ranges = values.list(flag);
  return ranges.find((range) => range.includes(".")) ?? ranges[0] ?? "";
}

/** kube-apiserver flags that affect the server, except those for its address, certificate and storage. */
export const serverFlags: readonly string[] = [
  ...flagsOf(plainFlags),
  ...flagsOf(authenticationFlags),
  ...flagsOf(authorizationFlags),
];

/** Returns the options for authentication, authorization, admission and audit. */
export function serverOptions(values: FlagValues): Partial<ApiServerOptions> {
  return {
    ...readOptions(values, plainFlags),
    authentication: readOptions(values, authenticationFlags),
    authorization: readOptions(values, authorizationFlags),
  };
}
