import type { AuthorizationAttributes } from "../authorization/authorizer.ts";
import type { ApiRequest } from "../endpoints/api-request.ts";

/** A request as authorizers see it. A list or watch of one name counts as being about that name. */
export function authorizationAttributes({ user, info, query }: ApiRequest): AuthorizationAttributes {
  const { isResourceRequest, verb, path, group, version, resource, subresource, namespace } = info;
  const name = info.name || (verb === "list" || verb === "watch" ? nameOfSelector(query.get("fieldSelector")) : "");
  return { user, verb, isResourceRequest, path, group, version, resource, subresource, namespace, name };
}

function nameOfSelector(selector: string | null): string {
  return /(?:^|,)metadata\.name==?([^,=!\\]+)(?:,|$)/.exec(selector ?? "")?.[1] ?? "";
}
