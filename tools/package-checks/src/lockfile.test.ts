import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

interface Locked {
  readonly link?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const lockfile = readFileSync(join(import.meta.dirname, "../../../package-lock.json"), "utf8");
const { packages } = JSON.parse(lockfile) as { readonly packages: Readonly<Record<string, Locked>> };
const installed = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && !link);

it("contains the digest of every package, including those of other platforms, and no download host", () => {
  expect(installed.length).toBeGreaterThan(400);
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([path]) => path)).toEqual([]);
  expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});

/** Resolves a package from another: in its own `node_modules` or in that of a parent folder. */
function found(from: string, name: string): string | undefined {
  const parts = from.split("/");
  for (let length = parts.length; length >= 0; length--) {
    const path = [...parts.slice(0, length), "node_modules", name].join("/");
    if (packages[path]) return packages[path].link ? packages[path].resolved : path;
  }
  return undefined;
}

function installedWith(workspace: string): Set<string> {
  const paths = new Set([workspace]);
  for (const path of paths) {
    const { dependencies, optionalDependencies, peerDependencies } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const at = found(path, name);
      if (at !== undefined) paths.add(at);
    }
  }
  return paths;
}

it.each(["kubewright", "envtest", "controller-manager"])("runs no install script with %s", (name) => {
  const paths = [...installedWith(`packages/${name}`)];
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => packages[path]?.hasInstallScript)).toEqual([]);
});

it("installs only packages that a running program needs with kubewright: no generators, no server and no command", () => {
  const paths = [...installedWith("packages/kubewright")];
  const own = paths.filter((path) => path.startsWith("packages/")).map((path) => path.slice("packages/".length));
  expect(own.sort()).toEqual([
    "apimachinery",
    "builder",
    "cache",
    "certificates",
    "client",
    "clock",
    "console",
    "controller",
    "kubewright",
    "lazy-json",
    "leader-election",
    "log",
    "manager",
    "rbac",
    "recorder",
    "replay",
    "tracing",
    "webhook",
    "workqueue",
  ]);
  const tools = ["@clack/prompts", "commander", "esbuild", "etcd3", "re2js", "typebox", "typescript"];
  for (const name of tools) expect(paths).not.toContain(`node_modules/${name}`);
  // `yaml` stays: the client reads kubeconfigs with it, and nothing else does.
  const parsing = paths.filter((path) => packages[path]?.dependencies?.yaml !== undefined);
  expect(parsing).toEqual(["packages/client"]);
});

it("finds the install script that the command, a development dependency, brings", () => {
  const paths = [...installedWith("packages/cli")];
  expect(paths.filter((path) => packages[path]?.hasInstallScript)).toContain("node_modules/protobufjs");
});
