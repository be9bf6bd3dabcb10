/** Returns the versions pinned by a `go.mod`. @throws {Error} if it does not pin them */
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
  /** Go import path of the command. */
  readonly package: string;
  readonly linkerFlags: string;
  /** Arguments that make it print its version, and the expected output. */
  readonly versionArgs: readonly string[];
  readonly version: string;
}

const stripped = "-s -w";

/** Linker flags with the version; without them, a program of Kubernetes reports v0.0.0. */
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

/** Returns the programs to build from the modules that a `go.mod` pins. */
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
