/** Returns the versions pinned by a `go.mod`, which may omit etcd. @throws {Error} if it does not pin Kubernetes */
export function pinnedVersions(goMod: string): { readonly kubernetes: string; readonly etcd: string | undefined } {
  const kubernetes = pinned(goMod, "k8s.io/kubernetes");
  if (kubernetes === undefined) throw new Error("go.mod does not pin k8s.io/kubernetes");
  return { kubernetes, etcd: pinned(goMod, "go.etcd.io/etcd/server/v3")?.slice(1) };
}

const pinned = (goMod: string, module: string): string | undefined =>
  new RegExp(`^(?:require)?\\s*${module.replaceAll(".", "\\.")} (v\\S+)`, "m").exec(goMod)?.[1];

/**
 * Returns a `go.mod` that pins a version of Kubernetes. It does not contain etcd, because etcd would raise the versions
 * of its client in the server.
 *
 * @param upstream `go.mod` of k8s.io/kubernetes in that version. Modules that are part of Kubernetes' repository
 * (staging) are separate modules here.
 */
export function moduleOf(version: string, upstream: string): string {
  const staged = `v0.${version.slice(version.indexOf(".") + 1)}`;
  const modules = [...upstream.matchAll(/(k8s\.io\/[\w-]+) => \.\/staging/g)].map(([, module]) => module);
  return [
    "module kubewright.dev/tools/kube-apiserver",
    ...(upstream.match(/^(?:go|godebug) .*$/gm) ?? []),
    `require k8s.io/kubernetes v${version}`,
    ...modules.map((module) => `replace ${module} => ${module} ${staged}`),
    "",
  ].join("\n");
}

export interface Program {
  readonly name: string;
  /** Go import path of the command. */
  readonly package: string;
  readonly linkerFlags: string;
  /** Arguments with which the program prints its version, and the expected output. */
  readonly versionArgs: readonly string[];
  readonly version: string;
}

const stripped = "-s -w";

/** Linker flags that set the version. Without them, a program of Kubernetes reports v0.0.0. */
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
  const etcd: Program = {
    name: "etcd",
    package: "go.etcd.io/etcd/server/v3",
    linkerFlags: stripped,
    versionArgs: ["--version"],
    version: `etcd Version: ${versions.etcd}`,
  };
  return [
    ...(versions.etcd === undefined ? [] : [etcd]),
    kubernetes("kube-apiserver", ["--version"]),
    kubernetes("kube-controller-manager", ["--version"]),
    kubernetes("kubectl", ["version", "--client"]),
  ];
}
