import { notFound, type StatusError } from "@kubewright/apimachinery";
import type { ResourceVerb } from "../registry/resource.ts";
import type { ApiRequest } from "./request/api-request.ts";
import { checkSegmentName } from "./request/path-segment-name.ts";
import type { RequestInfo } from "./request/request-info.ts";
import { methodNotAllowed, notWatchable, unknownResource } from "./responses/responses.ts";
import type { ResourceScope } from "./scope/resource-scope.ts";
import type { ResourceSet } from "./scope/resource-set.ts";
import { handleCreate } from "./verbs/create-handler.ts";
import { handleDelete, handleDeleteCollection } from "./verbs/delete-handlers.ts";
import { handlePatch } from "./verbs/patch-handler.ts";
import { handleGet, handleList } from "./verbs/read-handlers.ts";
import type { SubresourceHandler } from "./verbs/subresource.ts";
import { handleUpdate } from "./verbs/update-handler.ts";
import { handleWatch } from "./watch/watch-handler.ts";

/**
 * Passes a request to the handler for its verb, if the set of resources contains the request's group and version.
 *
 * @throws {StatusError} 404 for an unknown resource, 405 for an unsupported verb
 */
export function routeResource(
  request: ApiRequest,
  set: ResourceSet,
  subresources: ReadonlyMap<string, SubresourceHandler>,
): Promise<boolean> | boolean {
  const { info } = request;
  if (!info.isResourceRequest || !set.hasVersion(info.group, info.version) || isMisspelt(info)) return false;
  const scope = set.find(info.group, info.version, info.resource);
  if (!scope || (info.rest.length > 0 && info.subresource !== "proxy")) {
    if (set.servesBuiltin(info.group, info.version)) throw unknownResource();
    return false;
  }
  if (info.verbInPath && (info.verb !== "watch" || info.subresource !== "" || !scope.resource.verbs.includes("watch")))
    throw unknownResource();
  checkScope(request, scope);
  checkSegmentName(info.name);
  const routed = info.subresource === "" ? routeVerb(request, scope) : routeSubresource(request, scope, subresources);
  return routed.then(isServed);
}

const isServed = (): true => true;

/** Reports whether a path contains extra slashes (which the filters have ignored) or lacks a group name. */
const isMisspelt = ({ path, group, apiPrefix }: RequestInfo): boolean =>
  path.startsWith("//") || (group === "") !== (apiPrefix === "api");

function checkScope({ info, method }: ApiRequest, { resource }: ResourceScope): void {
  if (resource.scope === "Cluster" && info.isInNamespace) throw unknownResource();
  if (info.subresource !== "" && info.name === "") throw unknownResource();
  if (resource.scope === "Cluster" || info.namespace !== "") return;
  if (info.name !== "") throw unknownResource();
  if (method !== "POST" && method !== "DELETE") return;
  throw resource.verbs.includes("list") ? methodNotAllowed() : unknownResource();
}

async function routeVerb(request: ApiRequest, scope: ResourceScope): Promise<void> {
  const { verb, name } = request.info;
  const { verbs } = scope.resource;
  const onName = name !== "";
  if (!isVerb(verb) || !fits(verb, onName) || request.method === "HEAD") throw methodNotAllowed();
  // for paths below `/watch/`, the verb is `watch` regardless of the method
  if (verb === "watch" && request.method !== "GET") throw methodNotAllowed();
  if (verb === "watch" && scope.read) {
    warnOfDeprecation(request, scope);
    throw notWatchable(scope.resource.resource);
  }
  // if a CRD is terminating, discovery hides verbs of its custom resources, but clients must still be able to remove finalizers
  if (scope.resource.origin === "builtin" && !verbs.includes(verb)) throw methodNotAllowed();
  warnOfDeprecation(request, scope);
  switch (verb) {
    case "get":
      return (scope.read ?? handleGet)(request, scope);
    case "list":
      return (scope.read ?? handleList)(request, scope);
    case "watch":
      return handleWatch(request, scope, name);
    case "create":
      return (scope.create ?? handleCreate)(request, scope);
    case "update":
      return handleUpdate(request, scope, "main");
    case "patch":
      return handlePatch(request, scope, "main");
    case "delete":
      return handleDelete(request, scope);
    case "deletecollection":
      return handleDeleteCollection(request, scope);
  }
}

async function routeSubresource(
  request: ApiRequest,
  scope: ResourceScope,
  handlers: ReadonlyMap<string, SubresourceHandler>,
): Promise<void> {
  const { subresource, verb } = request.info;
  const info = scope.resource.subresources.find(({ name }) => name === subresource);
  const handler = handlers.get(`${scope.resource.resource}/${subresource}`) ?? handlers.get(subresource);
  if (!info || !handler)
    throw scope.resource.origin === "custom" ? unknownSubresource(request, scope) : unknownResource();
  // proxies forward every method, including methods without a verb
  const connects = subresource === "proxy" && request.method !== "TRACE" ? "get" : undefined;
  const asked = connects ?? verb;
  if (request.method === "HEAD" && !connects) throw methodNotAllowed();
  if (!isVerb(asked) || !info.verbs.includes(asked)) throw methodNotAllowed();
  warnOfDeprecation(request, scope);
  await handler(request, scope, asked);
}

function warnOfDeprecation({ warnings }: ApiRequest, { resource }: ResourceScope): void {
  if (resource.deprecationWarning) warnings.add(resource.deprecationWarning);
}

/** Returns the error for an unknown subresource. For custom resources, it contains the object's name. */
function unknownSubresource({ info }: ApiRequest, { resource }: ResourceScope): StatusError {
  return notFound(resource, info.name);
}

const onNames: ReadonlySet<string> = new Set(["get", "update", "patch", "delete"]);
const verbsOfResources: ReadonlySet<string> = new Set([...onNames, "list", "create", "deletecollection", "watch"]);

const isVerb = (verb: string): verb is ResourceVerb => verbsOfResources.has(verb);
const fits = (verb: ResourceVerb, onName: boolean): boolean => verb === "watch" || onNames.has(verb) === onName;
