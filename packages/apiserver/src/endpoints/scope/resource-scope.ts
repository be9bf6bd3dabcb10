import type { Clock } from "@kubewright/clock";
import type { AdmissionChain } from "../../admission/admission.ts";
import type { Authorizer } from "../../authorization/authorizer.ts";
import type { ReadonlyObject, ServedResource } from "../../registry/resource.ts";
import type { Store } from "../../registry/store.ts";
import type { WriteContext } from "../../registry/store-requests.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { type AdmittedParts, RequestAdmission } from "./request-admission.ts";
import type { RunningWatches } from "./running-watches.ts";

/** Dependencies of the handlers of one resource. @see apiserver pkg/endpoints/handlers RequestScope */
export interface ResourceScope {
  readonly resource: ServedResource;
  readonly store: Store;
  readonly admission: AdmissionChain;
  /** Authorizes actions that go beyond the URL and method of a request. */
  readonly authorize: Authorizer;
  readonly clock: Clock;
  readonly watches: RunningWatches;
  /** Handles creates of computed resources instead of the store. */
  readonly create?: ((request: ApiRequest, scope: ResourceScope) => Promise<void>) | undefined;
  /** Handles reads of computed resources instead of the store. */
  readonly read?: ((request: ApiRequest, scope: ResourceScope) => Promise<void>) | undefined;
  /** Returns another resource's scope, for handlers that also write to that resource; `undefined` if it is not served. */
  other(group: string, version: string, resource: string): ResourceScope | undefined;
  /** Returns stored objects of another resource. */
  objectsOf(group: string, resource: string, namespace: string): Promise<readonly ReadonlyObject[]>;
  /** Interval between a watch's bookmarks. */
  readonly bookmarkIntervalMs: number;
}

/** Returns the namespace of a request's objects; empty for cluster-scoped kinds, including Namespaces. */
export const namespaceOf = (request: ApiRequest, scope: ResourceScope): string =>
  scope.resource.scope === "Namespaced" ? request.info.namespace : "";

/** Returns the context of a request for strategy and store. */
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
