import { ApiServer, type ApiServerOptions, type Kubelets, type ServerConnection } from "@kubewright/kube-apiserver";
import { type ControllersOptions, type RunningControllers, startControllers } from "./controllers.ts";
import type { NodeAgent } from "./node/node-agent.ts";
import { checkReach } from "./node/process/reach.ts";
import { clearKubeconfig, writePrivately } from "./parts/write-privately.ts";

/** How a development plane is made. It knows RBAC and nodes' own credentials, and listens on loopback, unless told otherwise. */
export interface ControlPlaneOptions extends Omit<ControllersOptions, "connection"> {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default: a free one. */
  readonly port?: number;
  /**
   * Where to write a kubeconfig of an administrator, readable by its owner alone, once the plane is ready. An earlier plane's file is replaced; any other is
   * not. Default: nowhere.
   */
  readonly kubeconfigOut?: string;
  /** More about the API server. */
  readonly apiServer?: Omit<ApiServerOptions, "host" | "port" | "clock" | "kubelets" | "logger">;
}

const managerUser = "system:kube-controller-manager";

/** A control plane for development: the embedded API server, its controllers, and a simulated node that "runs" pods. */
export interface ControlPlane extends AsyncDisposable {
  readonly server: ApiServer;
  /** The first of the simulated nodes. */
  readonly node: NodeAgent;
  /** `https://127.0.0.1:port`; stays the same over a restart. */
  readonly url: string;
  /** A kubeconfig of an administrator, as text. */
  readonly kubeconfig: string;
  /** Settings for a client. Default: those of an administrator. */
  connection(user?: string): ServerConnection;
  /** Drops every connection and comes back on the same port with the same objects. */
  restartServer(): Promise<void>;
  /** Ends everything: controllers, containers, server. */
  stop(): Promise<void>;
}

/**
 * Starts a control plane in this process.
 *
 * @throws {Error} if the address is not free, the kubeconfig cannot be written or would replace something else, or images that start processes could be used from other machines
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { host, port, kubeconfigOut, apiServer, ...rest } = options;
  if (host !== undefined) checkReach(rest.images ?? {}, host);
  if (kubeconfigOut !== undefined) await clearKubeconfig(kubeconfigOut);
  const { clock, logger } = rest;
  let controllers: RunningControllers | undefined;
  const kubelets: Kubelets = {
    containerLog: async (name, request, signal) =>
      await controllers?.nodes.find((node) => node.name === name)?.containerLog(request, signal),
  };
  const server = await ApiServer.start({
    authorization: ["Node", "RBAC"], // so that only who holds the kubeconfig may do anything
    checkPolicyTypes: true,
    kubelets,
    ...apiServer,
    enableAdmissionPlugins: [...(apiServer?.enableAdmissionPlugins ?? []), "NodeRestriction"], // a node's credentials are good for that node alone
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(clock ? { clock } : {}),
    ...(logger ? { logger } : {}),
  });
  let running: RunningControllers;
  try {
    // Known by upstream's name in audit logs, and free to delete whatever there is.
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
    kubeconfig: server.kubeconfig(),
    connection: (user) => server.connection(user),
    restartServer: () => server.restart(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
