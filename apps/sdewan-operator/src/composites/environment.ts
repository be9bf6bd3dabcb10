import type { Reader } from "@kubewright/client";
import { purposeLabel } from "../api/group.ts";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import { findCnf } from "../cnf/discovery.ts";
import { apiPortOf, type EndpointDefaults, usualApiPort } from "../cnf/endpoint.ts";
import { addressesOf } from "../cnf/pod-state.ts";
import { NameError } from "../resolve/name-error.ts";
import type { Names } from "../resolve/names.ts";
import type { Composite, Environment } from "./composite-kind.ts";

export interface LookupOptions {
  readonly names: Names;
  /** Scheme and port for CNFs whose pods do not have an annotation that sets them. */
  readonly endpoint: EndpointDefaults;
  readonly scope: CnfScope;
}

/**
 * Resolves names concurrently. The returned function looks up the results; for a name that could not be resolved, it
 * throws the error.
 */
export async function lookUp(
  names: Names,
  requested: readonly (string | undefined)[],
  owner = "",
): Promise<Environment["addressesOf"]> {
  const unique = [...new Set(requested.flatMap((name) => name || []))];
  const results = await Promise.allSettled(unique.map((name) => names.addressesOf(name, owner)));
  const byName = new Map(unique.map((name, index) => [name, results[index]]));
  return (name) => {
    const result = byName.get(name);
    if (!result) throw new NameError("no name was given", false);
    if (result.status === "rejected") throw result.reason;
    return result.value;
  };
}

/** Returns the ports and addresses of the REST API of a composite's CNF. */
export async function apiOf(
  { endpoint, scope }: LookupOptions,
  { metadata: { namespace, labels } }: Composite,
  reader: Reader,
): Promise<Environment["api"]> {
  const cnf = await findCnf(reader, labels?.[purposeLabel], { namespace, scope }).catch(() => undefined); // the children report the reason
  const pods = cnf?.pods ?? [];
  const ports = pods.map((pod) => {
    try {
      return apiPortOf(pod, endpoint);
    } catch {
      return usualApiPort(endpoint); // this pod is unreachable anyway
    }
  });
  return {
    ports: new Set(pods.length > 0 ? ports : [usualApiPort(endpoint)]),
    addresses: new Set(pods.flatMap(addressesOf)),
  };
}
