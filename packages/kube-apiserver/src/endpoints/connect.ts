import { badRequest, forbidden } from "@kubewright/apimachinery";
import type { Authorizer } from "@kubewright/apiserver/authorization";
import type { ApiRequest, SubresourceHandler } from "@kubewright/apiserver/endpoints";
import { admissionAttributes, namespaceOf, type ResourceScope } from "@kubewright/apiserver/endpoints";
import { type ConnectOptions, connectOptions } from "./connect-options.ts";
import { containerOf, kubeletAddress, nodeNameIn } from "./pod-host.ts";
import { nodeProxy, podProxy, serviceProxy } from "./proxy-location.ts";
import { unsupported } from "./unsupported-subresource.ts";

type Locate = (request: ApiRequest, scope: ResourceScope, options: ConnectOptions) => Promise<void>;

/**
 * Returns the handlers for subresources that connect to a kubelet, a pod or a Service. They run admission and all checks that upstream
 * performs before it opens the connection. The connection itself is not supported, so the response is 501.
 *
 * @see apiserver pkg/endpoints/handlers ConnectResource
 */
export function connectSubresources(authorize: Authorizer): ReadonlyMap<string, SubresourceHandler> {
  const toPod =
    (locate: Locate): Locate =>
    async (request, scope, options) => {
      await checkCreate(request, authorize);
      await locate(request, scope, options);
    };
  return new Map([
    ["pods/exec", connect("PodExecOptions", "exec is", toPod(toContainer))],
    ["pods/attach", connect("PodAttachOptions", "attach is", toPod(toContainer))],
    ["pods/portforward", connect("PodPortForwardOptions", "portforward is", toPod(toPorts))],
    ["pods/proxy", connect("PodProxyOptions", "proxy is", podProxy)],
    ["services/proxy", connect("ServiceProxyOptions", "proxy is", serviceProxy)],
    ["nodes/proxy", connect("NodeProxyOptions", "proxy is", nodeProxy)],
  ]);
}

const connect =
  (kind: string, what: string, locate: Locate): SubresourceHandler =>
  async (request, scope) => {
    const options = connectOptions(request, kind);
    const attributes = admissionAttributes(request, scope, {
      operation: "CONNECT",
      kind: { group: "", version: "v1", kind },
      object: options,
      options: {},
      dryRun: false,
    });
    await scope.admission.admit(attributes);
    await scope.admission.validate(attributes);
    await locate(request, scope, options);
    throw unsupported(what);
  };

/**
 * Checks that the user of a GET request, as WebSockets send it, may also `create` the subresource.
 *
 * @see kubernetes pkg/registry/core/pod/rest ensureAuthorizedForVerb
 */
async function checkCreate({ info, user, method }: ApiRequest, authorize: Authorizer): Promise<void> {
  if (method === "POST") return;
  const { group, version, resource, subresource, namespace, name } = info;
  const about = { group, version, resource, subresource, namespace, name };
  const { decision, reason = "" } = await authorize({
    user,
    verb: "create",
    isResourceRequest: true,
    path: "",
    ...about,
  });
  if (decision !== "allow") throw forbidden({ group, resource }, name, reason);
}

const toContainer: Locate = async (request, scope, { container }) => {
  const pod = await scope.store.get(namespaceOf(request, scope), request.info.name);
  containerOf(pod, container);
  await reach(request, scope, nodeNameIn(pod));
};

const toPorts: Locate = async (request, scope) => {
  const pod = await scope.store.get(namespaceOf(request, scope), request.info.name);
  await reach(request, scope, nodeNameIn(pod));
};

async function reach(request: ApiRequest, scope: ResourceScope, node: string): Promise<void> {
  if (node === "") throw badRequest(`pod ${request.info.name} does not have a host assigned`);
  await kubeletAddress(scope, node);
  if (!/(^|,)\s*upgrade\s*(,|$)/i.test(request.header("connection") ?? ""))
    throw badRequest("Upgrade request required");
}
