/** The versions that a `go.mod` pins. @throws {Error} where it pins none */
export function pinnedVersions(goMod: string): { readonly kubernetes: string; readonly etcd: string } {
  return { kubernetes: pinned(goMod, "k8s.io/kubernetes"), etcd: pinned(goMod, "go.etcd.io/etcd/server/v3").slice(1) };
}

function pinned(goMod: string, module: string): string {
  const version = goMod.split("\n").find((line) => line.trim().startsWith(`${module} v`));
  if (!version) throw new Error(`go.mod does not pin ${module}`);
  return version.trim().split(" ")[1] ?? "";
}

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
function versioned(kubernetesVersion: string): string {
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

/** What is built of the modules that a `go.mod` pins. */
export function programsOf(goMod: string): readonly Program[] {
  const versions = pinnedVersions(goMod);
  const kubernetes = (name: string, versionArgs: readonly string[]): Program => ({
    name,
    package: `k8s.io/kubernetes/cmd/${name}`,
    linkerFlags: versioned(versions.kubernetes),
    versionArgs,
    version: versions.kubernetes,
  });
  return [
    {
      name: "etcd",
      package: "go.etcd.io/etcd/server/v3",
      linkerFlags: stripped,
      versionArgs: ["--version"],
      version: `etcd Version: ${versions.etcd}`,
    },
    kubernetes("kube-apiserver", ["--version"]),
    kubernetes("kube-controller-manager", ["--version"]),
    kubernetes("kubectl", ["version", "--client"]),
  ];
}
