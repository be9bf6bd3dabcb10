import { isIP } from "node:net";
import {
  authenticationOptionErrors,
  authorizationOptionErrors,
  pluginSelectionErrors,
} from "@kubewright/kube-apiserver";
import type { FlagValues } from "../flags/flag-values.ts";
import { booleanOf } from "../flags/go-numbers.ts";
import { authenticationFlags } from "./authentication-flags.ts";
import { authorizationFlags } from "./authorization-flags.ts";
import { readOptions } from "./option-readers.ts";

/** Rules that differ between programs. */
export interface OptionRules {
  /** Allowed values of `--storage-backend`. */
  readonly storageBackends: readonly string[];
  /** True if `--secure-port 0` picks a free port. */
  readonly allowsFreePort: boolean;
  /** True if etcd's address and keys for ServiceAccounts are required. */
  readonly demandsEtcdAndKeys: boolean;
}

/**
 * Validates a complete command line. Returns kube-apiserver's messages, in the order in which kube-apiserver prints them.
 *
 * @see kubernetes pkg/controlplane/apiserver/options Validate
 */
export function optionErrors(values: FlagValues, rules: OptionRules): string[] {
  return [
    ...(values.text("request-timeout").startsWith("-") ? ["--request-timeout can not be negative value"] : []),
    ...storageErrors(values, rules),
    ...servingErrors(values, rules),
    ...(rules.demandsEtcdAndKeys ? issuerErrors(values) : []),
    ...authenticationOptionErrors(readOptions(values, authenticationFlags)),
    ...authorizationOptionErrors(readOptions(values, authorizationFlags)),
    ...auditErrors(values),
    ...pluginSelectionErrors({
      enable: values.list("enable-admission-plugins"),
      disable: values.list("disable-admission-plugins"),
    }),
    ...runtimeConfigErrors(values),
    ...addressErrors(values),
    ...(rules.demandsEtcdAndKeys ? signingErrors(values) : []),
  ];
}

function storageErrors(values: FlagValues, { storageBackends, demandsEtcdAndKeys }: OptionRules): string[] {
  const backend = values.text("storage-backend");
  return [
    ...(demandsEtcdAndKeys && values.list("etcd-servers").length === 0 ? ["--etcd-servers must be specified"] : []),
    ...(backend === "" || storageBackends.includes(backend)
      ? []
      : [
          `--storage-backend invalid, allowed values: ${storageBackends.join(", ")}. If not specified, it will default to '${storageBackends[0]}'`,
        ]),
  ];
}

function servingErrors(values: FlagValues, { allowsFreePort }: OptionRules): string[] {
  const port = values.number("secure-port");
  if (port >= (allowsFreePort ? 0 : 1) && port <= 65_535) return [];
  return [
    allowsFreePort
      ? `--secure-port ${port} must be between 0 and 65535, inclusive; 0 picks a free port`
      : `--secure-port ${port} must be between 1 and 65535, inclusive. It cannot be turned off with 0`,
  ];
}

function issuerErrors(values: FlagValues): string[] {
  const hasKeys = values.has("service-account-key-file") || values.has("service-account-signing-key-file");
  return [
    ...(values.has("service-account-issuer") ? [] : ["service-account-issuer is a required flag"]),
    ...(hasKeys || values.has("service-account-signing-endpoint")
      ? []
      : ["either `--service-account-key-file` or `--service-account-signing-endpoint` must be set"]),
  ];
}

function signingErrors(values: FlagValues): string[] {
  if (values.has("service-account-signing-endpoint")) return [];
  return values.text("service-account-signing-key-file") && values.has("service-account-issuer")
    ? []
    : ["--service-account-signing-key-file and --service-account-issuer are required flags"];
}

function auditErrors(values: FlagValues): string[] {
  if (!values.text("audit-log-path")) return [];
  return ["audit-log-maxage", "audit-log-maxbackup", "audit-log-maxsize"]
    .filter((flag) => values.number(flag) < 0)
    .map((flag) => `--${flag} ${values.number(flag)} can't be a negative number`);
}

/** Keys of `--runtime-config` that switch several versions. */
const versionSets = ["api/all", "api/ga", "api/beta", "api/alpha", "api/legacy"];

function runtimeConfigErrors(values: FlagValues): string[] {
  return Object.entries(values.map("runtime-config")).flatMap(([key, value]) => {
    if (key !== "v1" && !key.includes("/")) return [`runtime-config invalid key ${key}`];
    return versionSets.includes(key) && value !== "" && booleanOf(value) === undefined
      ? [`invalid value ${key}=${value}`]
      : [];
  });
}

function addressErrors(values: FlagValues): string[] {
  return values.list("service-cluster-ip-range").flatMap((range, i) => {
    const [address = "", bits = "", ...more] = range.split("/");
    const isCidr = isIP(address) !== 0 && /^\d+$/.test(bits) && Number(bits) <= (isIP(address) === 4 ? 32 : 128);
    return isCidr && more.length === 0 ? [] : [`service-cluster-ip-range[${i}] is not a valid cidr`];
  });
}
