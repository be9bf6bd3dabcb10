import type { Clock } from "@kubewright/clock";
import { DiscoveryEndpoints } from "../endpoints/discovery/discovery.ts";
import type { ForeignServers } from "../endpoints/discovery/foreign-versions.ts";
import { OpenApiEndpoint } from "../endpoints/openapi/openapi-endpoint.ts";
import type { ApiRequest } from "../endpoints/request/api-request.ts";
import { routeResource } from "../endpoints/resource-router.ts";
import { unknownResource } from "../endpoints/responses/responses.ts";
import { ResourceSet } from "../endpoints/scope/resource-set.ts";
import type { SubresourceHandler } from "../endpoints/verbs/subresource.ts";

/** A server in the delegation chain. It serves requests for its own paths, and passes all others to the next server. */
export interface DelegationTarget {
  /** Serves a request. Returns true if it sent a response, or false to pass the request to the next server. */
  serve(request: ApiRequest): Promise<boolean> | boolean;
}

/**
 * A server in the delegation chain that consists of a set of resources and the generic handlers. Requests for other
 * resources are passed to the next server.
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

/** Passes a request to the servers in order, until one of them serves it. */
export async function serveInOrder(targets: readonly DelegationTarget[], request: ApiRequest): Promise<boolean> {
  for (const target of targets) {
    const served = target.serve(request);
    if (served instanceof Promise ? await served : served) return true;
  }
  return false;
}

/**
 * Returns the last server in the chain. It responds with a 404: a Status for versions of built-in groups that are not
 * served, plain text for all other paths.
 */
export function unservedVersions(server: GenericServer): DelegationTarget {
  return {
    serve({ info }) {
      const { apiPrefix, group, version } = info;
      if (apiPrefix !== "" && version !== "" && server.resources.hasGroup(group)) throw unknownResource();
      return false;
    },
  };
}

/** Returns the discovery endpoints for all servers in the chain, and for the servers to which the chain forwards requests. */
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

/** Returns the OpenAPI endpoints for all servers in the chain, and for the servers to which the chain forwards requests. */
export function openApiOf(servers: readonly GenericServer[], clock: Clock, foreign?: ForeignServers): DelegationTarget {
  const endpoint = new OpenApiEndpoint(
    servers.map((server) => server.resources),
    () => clock.now(),
    foreign,
  );
  return { serve: (request) => endpoint.handle(request) };
}
