import { internalError } from "@kubewright/apimachinery";
import { forbiddenRequest } from "../../authorization/authorizer.ts";
import type { ApiRequest } from "../request/api-request.ts";
import type { ResourceScope } from "../scope/resource-scope.ts";

/**
 * Checks that the user is allowed to create an object through a PUT or server-side apply. The authorization filter uses
 * only the method and URL, so it has only checked the permission for `update` or `patch`.
 *
 * @throws {StatusError} 403 if the user is not allowed to create the object
 *
 * @see apiserver pkg/endpoints/handlers withAuthorization
 */
export async function checkMayCreate({ info, user }: ApiRequest, { authorize }: ResourceScope): Promise<void> {
  const { group, version, resource, subresource, namespace, name, path } = info;
  const about = { group, version, resource, subresource, namespace, name, path };
  const attributes = { ...about, user, verb: "create", isResourceRequest: true };
  const { decision, reason, error } = await authorize(attributes);
  if (decision === "allow") return;
  throw error ? internalError(new Error(error)) : forbiddenRequest(attributes, reason);
}
