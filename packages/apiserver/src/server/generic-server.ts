import type { Clock } from "@kubewright/clock";
import { DiscoveryEndpoints } from "../endpoints/discovery/discovery.ts";
import type { ForeignServers } from "../endpoints/discovery/foreign-versions.ts";
import { OpenApiEndpoint } from "../endpoints/openapi/openapi-endpoint.ts";
import type { ApiRequest } from "../endpoints/request/api-request.ts";
import { routeResource } from "../endpoints/resource-router.ts";
import { unknownResource } from "../endpoints/responses/responses.ts";
import { ResourceSet } from "../endpoints/scope/resource-set.ts";
import type { SubresourceHandler } from "../endpoints/verbs/subresource.ts";

/** Serves requests for its paths, and reports whether it handled the request. */
export interface DelegationTarget {
  /** Resolves to true if a response was sent; false passes the request to the next server. */
  serve(request: ApiRequest): Promise<boolean> | boolean;
}

/**
 * One of the servers in the chain: a set of resources with the generic handlers. Passes unknown requests to the next server.
 *
 * @see apiserver pkg/server GenericAPIServer
 */
export class GenericServer implements DelegationTarget {
  readonly name: string;
  readonly resources = new ResourceSet();
  readonly #subresources: ReadonlyMap<string, SubresourceHandler>;

  constructor(name: string, subresources: ReadonlyMap<string, SubresourceHandler>) {
    this.name = name;
    this.#subresources = subresources;
  }

  serve(request: ApiRequest): Promise<boolean> | boolean {
    return routeResource(request, this.resources, this.#subresources);
  }
}

/** Tries the servers in order. */
export async function serveInOrder(targets: readonly DelegationTarget[], request: ApiRequest): Promise<boolean> {
  for (const target of targets) {
    const served = target.serve(request);
    if (served instanceof Promise ? await served : served) return true;
  }
  return false;
}

/** Sends a 404 as a Status for unserved versions of built-in groups, and as text for all other unknown paths. */
export function unservedVersions(server: GenericServer): DelegationTarget {
  return {
    serve({ info }) {
      const { apiPrefix, group, version } = info;
      if (apiPrefix !== "" && version !== "" && server.resources.hasGroup(group)) throw unknownResource();
      return false;
    },
  };
}

/** Returns discovery for all servers in the chain, and for the servers behind them. */
export function discoveryOf(
  servers: readonly GenericServer[],
  address: () => string,
  foreign?: ForeignServers,
): DelegationTarget {
  const endpoints = new DiscoveryEndpoints(
    servers.map((server) => server.resources),
    address,
    foreign,
  );
  return { serve: (request) => endpoints.handle(request) };
}

/** Returns the OpenAPI documents of all servers in the chain, and for the servers behind them. */
export function openApiOf(servers: readonly GenericServer[], clock: Clock, foreign?: ForeignServers): DelegationTarget {
  const endpoint = new OpenApiEndpoint(
    servers.map((server) => server.resources),
    () => clock.now(),
    foreign,
  );
  return { serve: (request) => endpoint.handle(request) };
}
