import { readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./command.ts";
import { writeManifest } from "./outside-project.ts";
import type { Tarball } from "./tarballs.ts";

/** Maximum number of packages that `npm install kubewright` installs, including itself. */
const most = 107;

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly optional?: boolean; readonly hasInstallScript?: boolean }>>;
}

/**
 * Counts the packages that `npm install kubewright` installs.
 *
 * @throws {Error} if there are too many, or packages not meant for production
 */
export function countProductionInstall(folder: string, tarballs: readonly Tarball[]): string {
  writeManifest(folder, tarballs, { dependencies: { kubewright: "" } });
  run("npm", ["install", "--package-lock-only", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: folder });
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as Lockfile;
  const names = Object.keys(packages).filter((path) => path !== "" && !packages[path]?.optional);
  if (names.length > most)
    throw new Error(`npm install kubewright installs ${names.length} packages; the limit is ${most}`);
  const stray = names.filter((path) =>
    /@kubewright\/(aggregator|apiextensions|apiserver|cel|cli|codec|codegen|controller-manager|envtest|kube-apiserver|simulation|storage|storage-etcd3)$|@grpc\//.test(
      path,
    ),
  );
  if (stray.length > 0) throw new Error(`npm install kubewright installs ${stray.join(", ")}`);
  const scripted = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript);
  if (scripted.length > 0) throw new Error(`npm install kubewright runs install scripts of ${scripted.join(", ")}`);
  return `npm install kubewright installs ${names.length} packages (limit ${most})`;
}
