import { Aggregator, type AggregatorOptions } from "@kubewright/aggregator";
import type { GenericServer } from "@kubewright/apiserver/server";
import type { FrontProxy } from "../authentication/front-proxy.ts";

type AggregatorParts = Pick<AggregatorOptions, "storage" | "clock" | "logger" | "resolveService" | "changed"> & {
  readonly frontProxy: FrontProxy;
};

/**
 * Returns the aggregator, which handles requests before the other servers. Returns `undefined` if APIServices are not
 * served.
 *
 * @see kube-aggregator
 */
export function aggregatorOver(
  kube: GenericServer,
  { frontProxy: { certificate, headers }, ...parts }: AggregatorParts,
): Aggregator | undefined {
  const scope = kube.resources.find("apiregistration.k8s.io", "v1", "apiservices");
  if (!scope) return undefined;
  const names = [
    ...(headers.requestheaderUsernameHeaders ?? []),
    ...(headers.requestheaderUidHeaders ?? []),
    ...(headers.requestheaderGroupHeaders ?? []),
  ];
  const identity = { names, prefixes: headers.requestheaderExtraHeadersPrefix ?? [] };
  return new Aggregator({ ...parts, proxyCertificate: certificate, identity, scope });
}
