import { networkInterfaces } from "node:os";

/** What {@link findLocalHost} is told of the cluster and of this machine. */
export interface LocalHostOptions {
  /** The current context of the kubeconfig: `kind-dev`, `k3d-dev`, `minikube`, `docker-desktop`. */
  readonly context: string;
  /** The API server, as the kubeconfig has it. */
  readonly server: string;
  /** What the user said; wins over all that is guessed. */
  readonly host?: string | undefined;
  /** Default: those of this machine. */
  readonly interfaces?:
    | Readonly<
        Record<string, readonly { readonly address: string; readonly family: string; readonly internal: boolean }[]>
      >
    | undefined;
  /** Default: this process's. */
  readonly platform?: string | undefined;
}

/** Where an API server finds this machine, and how that is known. */
export interface LocalHost {
  readonly host: string;
  readonly because: string;
}

const dockerHost = "host.docker.internal";

/**
 * The name or address by which the API server of a local cluster calls this machine: kind and k3d are containers, minikube a container or a
 * machine of its own, Docker Desktop's is behind its own name.
 *
 * @throws {Error} with what to do where it cannot be known
 */
export function findLocalHost(options: LocalHostOptions): LocalHost {
  const { context, server, host, platform = process.platform } = options;
  if (host) return { host, because: "--host says so" };
  const isLinux = platform === "linux";
  if (context === "docker-desktop") return { host: dockerHost, because: "the cluster is Docker Desktop's" };
  if (context.startsWith("k3d-"))
    return { host: "host.k3d.internal", because: "k3d names its host so within the cluster" };
  if (context === "minikube" || context.startsWith("minikube-"))
    return { host: "host.minikube.internal", because: "minikube names its host so within the cluster" };
  if (context.startsWith("kind-")) {
    if (!isLinux) return { host: dockerHost, because: "kind's nodes are containers of Docker's machine" };
    const bridge = bridgeAddress(options);
    if (bridge) return { host: bridge, because: "kind's nodes are containers, and this is their bridge's address" };
  }
  const { hostname } = new URL(server);
  if (["127.0.0.1", "localhost", "[::1]"].includes(hostname) && !context.startsWith("kind-"))
    return { host: "127.0.0.1", because: "the API server is a process on this machine" };
  throw new Error(
    `cannot tell how the API server at ${server} (context "${context}") reaches this machine: say it with --host, a name or address of this machine that the cluster's nodes can call`,
  );
}

/** Networks of Docker have bridges named `br-` and some digits; its first one, `docker0`, is reached from all of them. */
function bridgeAddress({ interfaces }: LocalHostOptions): string | undefined {
  const all = Object.entries(interfaces ?? networkInterfaces());
  const bridges = [...all.filter(([name]) => name.startsWith("br-")), ...all.filter(([name]) => name === "docker0")];
  return bridges
    .flatMap(([, addresses]) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
}
