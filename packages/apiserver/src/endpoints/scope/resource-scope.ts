import type { Clock, Random } from "@kubewright/clock";
import type { AdmissionChain } from "../../admission/admission.ts";
import type { Authorizer } from "../../authorization/authorizer.ts";
import type { ReadonlyObject, ServedResource } from "../../registry/resource.ts";
import type { Store } from "../../registry/store.ts";
import type { WriteContext } from "../../registry/store-requests.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { type AdmittedParts, RequestAdmission } from "./request-admission.ts";
import type { RunningWatches } from "./running-watches.ts";

/** Dependencies of the handlers for one resource. @see apiserver pkg/endpoints/handlers RequestScope */
export interface ResourceScope {
  readonly resource: ServedResource;
  readonly store: Store;
  readonly admission: AdmissionChain;
  /** Authorizes additional actions that a request performs, which its URL and method do not show. */
  readonly authorize: Authorizer;
  readonly clock: Clock;
  readonly random: Random;
  readonly watches: RunningWatches;
  /** Handles create requests for a computed resource, which has no stored objects. */
  readonly create?: ((request: ApiRequest, scope: ResourceScope) => Promise<void>) | undefined;
  /** Handles get and list requests for a computed resource, which has no stored objects. */
  readonly read?: ((request: ApiRequest, scope: ResourceScope) => Promise<void>) | undefined;
  /**
   * Returns the scope of another resource, for handlers that also write to it, or `undefined` if the resource is not
   * served.
   */
  other(group: string, version: string, resource: string): ResourceScope | undefined;
  /** Returns the stored objects of another resource. */
  objectsOf(group: string, resource: string, namespace: string): Promise<readonly ReadonlyObject[]>;
  /** Interval between the bookmarks of a watch, in milliseconds. */
  readonly bookmarkIntervalMs: number;
  /** True if lists and watches read the `shardSelector` parameter. */
  readonly shardedListAndWatch: boolean;
}

/**
 * Returns the namespace of the objects to which a request refers, or an empty string for cluster-scoped kinds,
 * including Namespaces.
 */
export const namespaceOf = (request: ApiRequest, scope: ResourceScope): string =>
  scope.resource.scope === "Namespaced" ? request.info.namespace : "";

/** Returns the context of a request for the strategy and the store. */
export function writeContext(request: ApiRequest, scope: ResourceScope, dryRun: boolean): WriteContext {
  return {
    user: request.user,
    verb: request.info.verb,
    nowMs: scope.clock.now(),
    namespace: namespaceOf(request, scope),
    dryRun,
    warn: (text) => request.warnings.add(text),
  };
}

/** Returns the attributes of a request for admission plugins. */
export const admissionAttributes = (
  request: ApiRequest,
  { resource }: ResourceScope,
  parts: AdmittedParts,
): RequestAdmission => new RequestAdmission(request, resource, parts);
