import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { output } from "./commands.ts";

/** Folder that pins the version, relative to the root of the repository. */
export const pinnedFolder = "tools/kube-apiserver/go";

const commands = ["kube-apiserver", "kube-controller-manager", "kubectl"];

/** Returns the pinned version, such as `1.37.2`. @throws {Error} if there is none */
export function pinnedKubernetes(goMod: string): string {
  const [, version] = /^\s*k8s\.io\/kubernetes v(\S+)/m.exec(goMod) ?? [];
  if (!version) throw new Error(`${pinnedFolder}/go.mod does not pin k8s.io/kubernetes`);
  return version;
}

/**
 * Returns the path of the kubectl recording that belongs to the pinned version, if an update to another minor version
 * replaces this recording.
 */
export function replacedRecording(pinned: string, kubernetes: string): string | undefined {
  const [before, after] = [pinned, kubernetes].map((version) => version.split(".").slice(0, 2).join("."));
  return before === after ? undefined : `tests/parity/recorded/kubectl-${before}.json`;
}

/**
 * Returns a `go.mod` that pins a version, derived from upstream's: modules staged in that repository are separate modules here.
 *
 * etcd gets the version for which upstream was released. A newer one would also change modules that kube-apiserver is linked with.
 *
 * @param upstream `go.mod` of k8s.io/kubernetes in that version
 */
export function pinningModule(version: string, upstream: string): string {
  const staged = `v0.${version.slice(version.indexOf(".") + 1)}`;
  const [etcd = ""] = /go\.etcd\.io\/etcd\/server\/v3 v\S+/.exec(upstream) ?? [];
  const [go = ""] = /^go .*$/m.exec(upstream) ?? [];
  const [debug = ""] = /^godebug .*$/m.exec(upstream) ?? [];
  const modules = [...upstream.matchAll(/(k8s\.io\/[\w-]+) => \.\/staging/g)].map(([, module]) => module);
  return [
    "module kubewright.dev/tools/kube-apiserver",
    go,
    debug,
    block("tool", ["go.etcd.io/etcd/server/v3", ...commands.map((name) => `k8s.io/kubernetes/cmd/${name}`)]),
    block("require", [etcd, `k8s.io/kubernetes v${version}`]),
    block(
      "replace",
      modules.map((module) => `${module} => ${module} ${staged}`),
    ),
    "",
  ].join("\n\n");
}

const block = (word: string, lines: readonly string[]): string =>
  `${word} (\n${lines.map((line) => `\t${line}\n`).join("")})`;

/** Creates a folder with the `go.mod` and `go.sum` of a version: copies of the repository's, or new ones. */
export function pinIn(folder: string, root: string, version: string): void {
  const pinned = join(root, pinnedFolder);
  mkdirSync(folder, { recursive: true });
  const before = readFileSync(join(pinned, "go.mod"), "utf8");
  if (pinnedKubernetes(before) === version) {
    cpSync(pinned, folder, { recursive: true });
    return;
  }
  const module = output("go", ["mod", "download", "-json", `k8s.io/kubernetes@v${version}`], { folder });
  const { GoMod } = JSON.parse(module) as { readonly GoMod: string };
  writeFileSync(join(folder, "go.mod"), pinningModule(version, readFileSync(GoMod, "utf8")));
  writeFileSync(join(folder, "go.sum"), "");
  output("go", ["mod", "tidy"], { folder });
}

/** Returns the folders of modules that a folder's `go.mod` pins, keyed by module path. */
export function moduleFolders(folder: string, modules: readonly string[]): ReadonlyMap<string, string> {
  output("go", ["mod", "download", ...modules], { folder });
  const format = "{{.Path}}={{if .Replace}}{{.Replace.Dir}}{{else}}{{.Dir}}{{end}}";
  const lines = output("go", ["list", "-m", "-f", format, ...modules], { folder });
  return new Map(
    lines
      .trim()
      .split("\n")
      .map((line): [string, string] => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}
