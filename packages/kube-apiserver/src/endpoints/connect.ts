import { badRequest, forbidden } from "@kubewright/apimachinery";
import type { Authorizer } from "@kubewright/apiserver/authorization";
import type { ApiRequest, SubresourceHandler } from "@kubewright/apiserver/endpoints";
import { admissionAttributes, namespaceOf, type ResourceScope } from "@kubewright/apiserver/endpoints";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import type { Clock } from "@kubewright/clock";
import type { ContainerSession, Kubelets, PodDialer, PodRequest } from "../kubelet/kubelets.ts";
import { servePortForward } from "../kubelet/port-forward.ts";
import { type RemoteCommand, serveRemoteCommand } from "../kubelet/remote-command.ts";
import { type ConnectOptions, connectOptions } from "./connect-options.ts";
import { containerOf, kubeletAddress, nodeNameIn } from "./pod-host.ts";
import { nodeProxy, type ProxyCheck, podProxy, serviceProxy } from "./proxy-location.ts";
import { unsupported } from "./unsupported-subresource.ts";

/** Performs the checks of a connection, and serves it. */
type Connect = (request: ApiRequest, scope: ResourceScope, options: ConnectOptions) => Promise<void>;

export interface ConnectParts {
  readonly authorize: Authorizer;
  /** Kubelets that run in this process. Default: all connections that require a kubelet are answered with 501. */
  readonly kubelets?: Kubelets | undefined;
  readonly clock: Clock;
}

/**
 * Returns the handlers for subresources that connect to a kubelet, a pod or a Service. They run admission and all
 * checks that upstream performs before it opens the connection. Proxies, and connections to kubelets outside this
 * process, are not supported; the response to such requests is 501.
 *
 * @see apiserver pkg/endpoints/handlers ConnectResource
 */
export function connectSubresources({
  authorize,
  kubelets,
  clock,
}: ConnectParts): ReadonlyMap<string, SubresourceHandler> {
  const toPod =
    (serve: Connect): Connect =>
    async (request, scope, options) => {
      await checkCreate(request, authorize);
      await serve(request, scope, options);
    };
  const proxy =
    (check: ProxyCheck): Connect =>
    async (request, scope) => {
      await check(request, scope);
      throw unsupported("proxy is");
    };
  const toProcess =
    (
      what: string,
      failure: RemoteCommand["failure"],
      find: (
        node: string,
        pod: PodRequest,
        container: string,
        options: ConnectOptions,
      ) => Promise<ContainerSession | undefined> | undefined,
    ): Connect =>
    async (request, scope, options) => {
      const pod = await scope.store.get(namespaceOf(request, scope), request.info.name);
      const container = containerOf(pod, options.container);
      const node = await reach(request, scope, pod);
      const session = await outcomeOf(find(node, podRequest(pod), container, options));
      if (!session) throw unsupported(what);
      const is = (name: string): boolean => options[name] === true;
      const requested = { stdin: is("stdin"), stdout: is("stdout"), stderr: is("stderr"), tty: is("tty") };
      await serveRemoteCommand(request, { requested, failure, session, clock });
    };
  const toPorts: Connect = async (request, scope, { ports }) => {
    const pod = await scope.store.get(namespaceOf(request, scope), request.info.name);
    const node = await reach(request, scope, pod);
    const dial = await outcomeOf<PodDialer>(kubelets?.portForward(node, podRequest(pod)));
    if (!dial) throw unsupported("portforward is");
    const asked = Array.isArray(ports) ? ports.map(Number) : [];
    await servePortForward(request, { pod: podRequest(pod), ports: asked, dial, clock });
  };
  const exec = toProcess("exec is", "error executing command in container", (node, pod, container, { command }) =>
    kubelets?.exec(node, { ...pod, container, command: Array.isArray(command) ? command.map(String) : [] }),
  );
  const attach = toProcess("attach is", "error attaching to container", (node, pod, container) =>
    kubelets?.attach(node, { ...pod, container }),
  );
  return new Map([
    ["pods/exec", connect("PodExecOptions", toPod(exec))],
    ["pods/attach", connect("PodAttachOptions", toPod(attach))],
    ["pods/portforward", connect("PodPortForwardOptions", toPod(toPorts))],
    ["pods/proxy", connect("PodProxyOptions", proxy(podProxy))],
    ["services/proxy", connect("ServiceProxyOptions", proxy(serviceProxy))],
    ["nodes/proxy", connect("NodeProxyOptions", proxy(nodeProxy))],
  ]);
}

const connect =
  (kind: string, serve: Connect): SubresourceHandler =>
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
    await serve(request, scope, options);
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

function podRequest({ metadata: { namespace = "", name, uid = "" } }: ReadonlyObject): PodRequest {
  return { namespace, pod: name, podUid: uid };
}

/**
 * Returns the result of a kubelet, or its error. Errors are returned rather than thrown, because clients can receive
 * some of them only after the upgrade.
 */
async function outcomeOf<T>(asked: Promise<T | undefined> | undefined): Promise<T | Error | undefined> {
  try {
    return await asked;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Checks that a pod has a node whose kubelet can be reached, and that the client requests an upgrade. @returns the node's name */
async function reach(request: ApiRequest, scope: ResourceScope, pod: ReadonlyObject): Promise<string> {
  const node = nodeNameIn(pod);
  if (node === "") throw badRequest(`pod ${request.info.name} does not have a host assigned`);
  await kubeletAddress(scope, node);
  if (!/(^|,)\s*upgrade\s*(,|$)/i.test(request.header("connection") ?? ""))
    throw badRequest("Upgrade request required");
  return node;
}
