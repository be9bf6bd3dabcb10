import { ApiServer, type ApiServerOptions, type Kubelets, type ServerConnection } from "@kubewright/kube-apiserver";
import { type ControllersOptions, type RunningControllers, startControllers } from "./controllers.ts";
import type { NodeAgent } from "./node/node-agent.ts";
import { checkReach } from "./node/process/reach.ts";
import { clearKubeconfig, writePrivately } from "./parts/write-privately.ts";

/**
 * Options for a development control plane. By default, the control plane uses RBAC and node authorization, and listens
 * on loopback.
 */
export interface ControlPlaneOptions extends Omit<ControllersOptions, "connection"> {
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Port to listen on. Default: a free port. */
  readonly port?: number | undefined;
  /**
   * Path of the kubeconfig file for an administrator, which is written as soon as the control plane is ready. Only its owner can read it.
   * It replaces the kubeconfig of an earlier control plane, but no other file. Default: no kubeconfig is written.
   */
  readonly kubeconfigOut?: string | undefined;
  /** Additional options for the API server. */
  readonly apiServer?: Omit<ApiServerOptions, "host" | "port" | "clock" | "kubelets" | "logger"> | undefined;
}

const managerUser = "system:kube-controller-manager";

/** A control plane for development: the embedded API server, its controllers, and simulated nodes that "run" pods. */
export interface ControlPlane extends AsyncDisposable {
  readonly server: ApiServer;
  /** The first simulated node. */
  readonly node: NodeAgent;
  /** URL of the API server, such as `https://127.0.0.1:6443`. It does not change when the server restarts. */
  readonly url: string;
  /** Content of a kubeconfig for an administrator. */
  readonly kubeconfig: string;
  /** Returns the settings with which a user connects to the API server. Default: an administrator. */
  connection(user?: string): ServerConnection;
  /** Closes all connections and restarts the API server on the same port, with the same objects. */
  restartServer(): Promise<void>;
  /** Stops the controllers, the pods' containers and the API server. */
  stop(): Promise<void>;
}

/**
 * Starts a control plane in this process.
 *
 * @throws {Error} if the address is in use, if the kubeconfig cannot be written or would replace an unrelated file, or
 *   if images start processes on this machine and other machines can reach the control plane
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { host, port, kubeconfigOut, apiServer, ...rest } = options;
  if (host !== undefined) checkReach(rest.images ?? {}, host);
  if (kubeconfigOut !== undefined) await clearKubeconfig(kubeconfigOut);
  const { clock, logger } = rest;
  let controllers: RunningControllers | undefined;
  const nodeNamed = (name: string): NodeAgent | undefined => controllers?.nodes.find((node) => node.name === name);
  const kubelets: Kubelets = {
    containerLog: async (node, request, signal) => await nodeNamed(node)?.containerLog(request, signal),
    exec: async (node, request) => nodeNamed(node)?.exec(request),
    attach: async (node, request) => nodeNamed(node)?.attach(request),
    portForward: async (node, request) => nodeNamed(node)?.portForward(request),
  };
  const server = await ApiServer.start({
    authorization: ["Node", "RBAC"], // only users with the kubeconfig are authorized
    checkPolicyTypes: true,
    kubelets,
    ...apiServer,
    enableAdmissionPlugins: [...(apiServer?.enableAdmissionPlugins ?? []), "NodeRestriction"], // limits a node's credentials to that node
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(clock ? { clock } : {}),
    ...(logger ? { logger } : {}),
  });
  let running: RunningControllers;
  try {
    // The controllers' user has upstream's name, which appears in audit logs, and may delete everything.
    server.addUser({ name: managerUser, groups: ["system:masters"] });
    running = controllers = await startControllers({
      signingAuthority: server.signingAuthority,
      issueServiceAccountToken: ({ secret, ...account }) =>
        server.serviceAccountTokens.legacyToken(account, secret.name),
      ...rest,
      connection: server.connection(managerUser),
    });
    if (kubeconfigOut !== undefined) writePrivately(kubeconfigOut, server.kubeconfig());
  } catch (error) {
    await controllers?.stop();
    await server.stop();
    throw error;
  }
  const stop = async (): Promise<void> => {
    await running.stop();
    await server.stop();
  };
  return {
    server,
    node: running.node,
    url: server.url,
    get kubeconfig() {
      return server.kubeconfig();
    },
    connection: (user) => server.connection(user),
    restartServer: () => server.restart(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
