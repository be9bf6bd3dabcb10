import type { Clock } from "@kubewright/clock";
import type { AdmissionChain } from "../../admission/admission.ts";
import type { Authorizer } from "../../authorization/authorizer.ts";
import type { ReadonlyObject, ServedResource } from "../../registry/resource.ts";
import type { Store } from "../../registry/store.ts";
import type { WriteContext } from "../../registry/store-requests.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { type AdmittedParts, RequestAdmission } from "./request-admission.ts";
import type { RunningWatches } from "./running-watches.ts";

/** What the handlers of one resource work with. @see apiserver pkg/endpoints/handlers RequestScope */
export interface ResourceScope {
  readonly resource: ServedResource;
  readonly store: Store;
  readonly admission: AdmissionChain;
  /** For what a request turns out to do beyond what its URL and method say. */
  readonly authorize: Authorizer;
  readonly clock: Clock;
  readonly watches: RunningWatches;
  /** Answers creates in place of the store: resources that are computed. */
  readonly create?: (request: ApiRequest, scope: ResourceScope) => Promise<void>;
  /** Answers reads in place of the store, likewise. */
  readonly read?: (request: ApiRequest, scope: ResourceScope) => Promise<void>;
  /** The scope of another resource, for handlers that write elsewhere too; `undefined` where it is not served. */
  other(group: string, version: string, resource: string): ResourceScope | undefined;
  /** Stored objects of another resource, for handlers that must look around. */
  objectsOf(group: string, resource: string, namespace: string): Promise<readonly ReadonlyObject[]>;
  /** Time between bookmarks of a watch. */
  readonly bookmarkIntervalMs: number;
}

/** The namespace that a request's objects are stored in: none for kinds of the cluster, Namespaces themselves among them. */
export const namespaceOf = (request: ApiRequest, scope: ResourceScope): string =>
  scope.resource.scope === "Namespaced" ? request.info.namespace : "";

/** The strategy's and store's view of a request. */
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

/** The admission plugins' view of a request. */
export const admissionAttributes = (
  request: ApiRequest,
  { resource }: ResourceScope,
  parts: AdmittedParts,
): RequestAdmission => new RequestAdmission(request, resource, parts);
