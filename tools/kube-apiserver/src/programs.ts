/** The Kubernetes whose programs are built. `go/go.mod` pins the modules. */
const kubernetesVersion = "v1.36.3";
const etcdVersion = "3.6.8";

export interface Program {
  readonly name: string;
  /** Go's import path of the command. */
  readonly package: string;
  readonly linkerFlags: string;
  /** Arguments with which it says its version, and what it says then. */
  readonly versionArgs: readonly string[];
  readonly version: string;
}

const stripped = "-s -w";

/** Without these a program of Kubernetes says that it is v0.0.0. */
function versioned(): string {
  const variable = "k8s.io/component-base/version";
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(kubernetesVersion) ?? [];
  const values = {
    gitVersion: kubernetesVersion,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: "clean",
    buildDate: "2026-01-01T00:00:00Z",
  };
  return [stripped, ...Object.entries(values).map(([name, value]) => `-X ${variable}.${name}=${value}`)].join(" ");
}

const kubernetes = (name: string, versionArgs: readonly string[]): Program => ({
  name,
  package: `k8s.io/kubernetes/cmd/${name}`,
  linkerFlags: versioned(),
  versionArgs,
  version: kubernetesVersion,
});

export const programs: readonly Program[] = [
  {
    name: "etcd",
    package: "go.etcd.io/etcd/server/v3",
    linkerFlags: stripped,
    versionArgs: ["--version"],
    version: `etcd Version: ${etcdVersion}`,
  },
  kubernetes("kube-apiserver", ["--version"]),
  kubernetes("kube-controller-manager", ["--version"]),
  kubernetes("kubectl", ["version", "--client"]),
];
