import { networkInterfaces } from "node:os";

/** Facts about the cluster and this machine, for {@link findLocalHost}. */
export interface LocalHostOptions {
  /** Current context of the kubeconfig, such as `kind-dev`, `k3d-dev`, `minikube` or `docker-desktop`. */
  readonly context: string;
  /** API server URL from the kubeconfig. */
  readonly server: string;
  /** Host given by the user. If set, it is used. */
  readonly host?: string | undefined;
  /** Network interfaces. Default: this machine's interfaces. */
  readonly interfaces?:
    | Readonly<
        Record<string, readonly { readonly address: string; readonly family: string; readonly internal: boolean }[]>
      >
    | undefined;
  /** Platform, as in `process.platform`. Default: this process's platform. */
  readonly platform?: string | undefined;
}

/** An address at which an API server can call this machine, and why it was chosen. */
export interface LocalHost {
  readonly host: string;
  readonly because: string;
}

const dockerHost = "host.docker.internal";

/**
 * Returns the name or address that the API server of a local cluster uses to call this machine. The result depends on the type of cluster:
 * k3d, minikube and Docker Desktop have their own names for this machine, kind uses the address of a Docker bridge, and an API server that
 * runs as a process on this machine uses `127.0.0.1`.
 *
 * @throws {Error} with a remedy, if the address cannot be determined
 */
export function findLocalHost(options: LocalHostOptions): LocalHost {
  const { context, server, host, platform = process.platform } = options;
  if (host) return { host, because: "given by --host" };
  const isLinux = platform === "linux";
  if (context === "docker-desktop") return { host: dockerHost, because: "the cluster is Docker Desktop's" };
  if (context.startsWith("k3d-"))
    return { host: "host.k3d.internal", because: "k3d's name for its host inside the cluster" };
  if (context === "minikube" || context.startsWith("minikube-"))
    return { host: "host.minikube.internal", because: "minikube's name for its host inside the cluster" };
  if (context.startsWith("kind-")) {
    if (!isLinux) return { host: dockerHost, because: "kind's nodes are containers in Docker's virtual machine" };
    const bridge = bridgeAddress(options);
    if (bridge)
      return { host: bridge, because: "kind's nodes are containers, and this is the address of their bridge" };
  }
  const { hostname } = new URL(server);
  if (["127.0.0.1", "localhost", "[::1]"].includes(hostname) && !context.startsWith("kind-"))
    return { host: "127.0.0.1", because: "the API server runs as a process on this machine" };
  throw new Error(
    `cannot determine how the API server at ${server} (context "${context}") reaches this machine: pass --host with a name or address of this machine that the cluster's nodes can call`,
  );
}

/**
 * Returns the IPv4 address of a Docker bridge on this machine. The bridge of a Docker network is named `br-` and some digits. The default
 * bridge, `docker0`, is reachable from all networks.
 */
function bridgeAddress({ interfaces }: LocalHostOptions): string | undefined {
  const all = Object.entries(interfaces ?? networkInterfaces());
  const bridges = [...all.filter(([name]) => name.startsWith("br-")), ...all.filter(([name]) => name === "docker0")];
  return bridges
    .flatMap(([, addresses]) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
}
