import { existsSync } from "node:fs";
import { join } from "node:path";

/** Issuer and audience of service account tokens. */
export const accountIssuer = "https://kubernetes.default.svc";

/** Paths of the real binaries. */
export interface Binaries {
  readonly etcd: string;
  readonly kubeApiserver: string;
}

export interface KubeApiserverFiles {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
  readonly accountKey: string;
  readonly accountPublicKey: string;
  readonly certificates: string;
}

/** Returns the paths of the binaries in a folder. @throws {Error} if one of them is missing */
export function binariesIn(folder: string): Binaries {
  const find = (name: string): string => {
    const path = join(folder, name);
    if (!existsSync(path))
      throw new Error(`${path} does not exist; set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver`);
    return path;
  };
  return { etcd: find("etcd"), kubeApiserver: find("kube-apiserver") };
}

export function etcdCommand(program: string, dataFolder: string, port: number, peerPort: number): string[] {
  const [url, peerUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  return [
    program,
    "--name=envtest",
    `--data-dir=${dataFolder}`,
    // The data survives if the process is killed, but not a power failure, which does not matter for tests.
    "--unsafe-no-fsync",
    "--log-level=warn",
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=envtest=${peerUrl}`,
  ];
}

export function kubeApiserverCommand(
  program: string,
  options: {
    readonly port: number;
    readonly etcdPort: number;
    readonly authorization: "RBAC" | "AlwaysAllow";
    readonly serviceAccountAdmission: boolean;
    readonly files: KubeApiserverFiles;
  },
): string[] {
  const { port, etcdPort, authorization, serviceAccountAdmission, files } = options;
  return [
    program,
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    // This is an address for documentation. It appears only in the endpoints of default/kubernetes, where loopback is not allowed.
    "--advertise-address=192.0.2.1",
    `--cert-dir=${files.certificates}`,
    `--tls-cert-file=${files.certificate}`,
    `--tls-private-key-file=${files.key}`,
    `--client-ca-file=${files.authority}`,
    `--authorization-mode=${authorization}`,
    // Without controllers, nothing creates service accounts. With this plugin, pods could therefore not be created.
    ...(serviceAccountAdmission ? [] : ["--disable-admission-plugins=ServiceAccount"]),
    "--service-cluster-ip-range=10.0.0.0/24",
    "--allow-privileged=true",
    "--profiling=false",
    `--service-account-issuer=${accountIssuer}`,
    `--service-account-key-file=${files.accountPublicKey}`,
    `--service-account-signing-key-file=${files.accountKey}`,
    `--requestheader-client-ca-file=${files.authority}`,
    "--requestheader-allowed-names=front-proxy",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
  ];
}
