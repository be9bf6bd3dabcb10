import { namespaceOf } from "./resource-scope.ts";
import { bare } from "./responses.ts";
import type { SubresourceHandler } from "./subresource.ts";

/**
 * A subresource that needs a kubelet or a network behind the object: 501, and 404 where the object is missing. A request to upgrade
 * the connection is answered in the same way, as plain HTTP.
 */
export const unsupportedSubresource =
  (what: string): SubresourceHandler =>
  async (request, scope) => {
    await scope.store.get(namespaceOf(request, scope), request.info.name);
    throw bare(501, "NotImplemented", `${what} not supported by the embedded API server`);
  };
