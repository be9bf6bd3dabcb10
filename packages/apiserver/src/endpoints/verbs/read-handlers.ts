import type { ApiRequest } from "../request/api-request.ts";
import { badVersion, listOptions } from "../request/list-options.ts";
import { negotiated, respondList, respondObject } from "../responses/respond.ts";
import { namespaceOf, type ResourceScope } from "../scope/resource-scope.ts";

/** Handles GET of one object. @see apiserver pkg/endpoints/handlers GetResource */
export async function handleGet(request: ApiRequest, scope: ResourceScope): Promise<void> {
  const { name } = request.info;
  negotiated(request, scope.resource);
  const version = request.query.get("resourceVersion") ?? undefined;
  if (version !== undefined && !/^\d*$/.test(version)) throw badVersion(version, true);
  respondObject(request, scope, 200, await scope.store.get(namespaceOf(request, scope), name, version));
}

/** Handles GET of a collection. @see apiserver pkg/endpoints/handlers ListResource */
export async function handleList(request: ApiRequest, scope: ResourceScope): Promise<void> {
  negotiated(request, scope.resource);
  const options = listOptions(request.query, scope, false);
  const result = await scope.store.list({
    namespace: namespaceOf(request, scope),
    selection: options.selection,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
    limit: options.limit,
    continue: options.continue,
    signal: request.signal,
  });
  await respondList(request, scope, result);
}
