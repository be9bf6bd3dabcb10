import { mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { run } from "./command.ts";
import { firstReconcile } from "./first-reconcile.ts";
import { type Node, thisNode } from "./nodes.ts";

const site = ["--group", "shop", "--version", "v1", "--kind", "Site"];

/** Commands that a user runs, one after the other, in a new project that has its first kind. */
const commands = [
  ["create", "api", "--group", "shop", "--version", "v1", "--kind", "Rack", "--cluster-scoped"],
  ["create", "api", "--group", "shop", "--version", "v1beta1", "--kind", "Site"],
  ["create", "webhook", ...site, "--defaulting", "--validation"],
  ["create", "webhook", ...site, "--conversion", "--hub", "v1", "--spoke", "v1beta1"],
  ["generate"],
  ["generate", "helm"],
  ["generate", "clientset"],
] as const;

/**
 * Creates a project from the packed packages on the given Node, as a user would, and runs the checks of its CI. Returns a summary.
 */
export async function project(folder: string, { bin, version }: Node, common: NodeJS.ProcessEnv): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const root = join(folder, "shop");
  const env = { ...common, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const create = (): string =>
    run("npm", ["create", "--yes", "kubewright", "shop", "--", "--domain", "example.com", "--ci", "github"], {
      cwd: folder,
      env,
    });
  const inProject = (program: string, ...words: string[]): string => run(program, words, { cwd: root, env });
  // What npx runs, without npx itself, which takes longer to start than most commands.
  const kubewright = (...words: string[]): string => inProject(join(root, "node_modules/.bin/kubewright"), ...words);
  const began = performance.now();
  create();
  const api = ["create", "api", ...site];
  inProject("npx", "kubewright", ...api);
  await firstReconcile(root, env);
  const firstMs = performance.now() - began;

  for (const words of commands) kubewright(...words);
  const tree = treeOf(root);
  const twice = bin === thisNode.bin ? "each command run twice, " : "";
  if (twice) {
    create();
    for (const words of [api, ...commands]) kubewright(...words);
    if (treeOf(root) !== tree)
      throw new Error(`running commands twice changed the tree:\n${inProject("git", "diff", tree, "--stat")}`);
  }

  inProject("npm", "ci", "--no-audit", "--no-fund");
  inProject("npm", "run", "lint");
  inProject("npm", "run", "typecheck");
  inProject("npm", "test");
  kubewright("generate", "--check");
  kubewright("check");
  kubewright("upgrade");
  if (treeOf(root) !== tree) throw new Error("tests, checks or an upgrade to the same version changed the tree");
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  return `on Node ${version} a project from npm create passes its checks: ${twice}${seconds(performance.now() - began)} in all, first reconcile after ${seconds(firstMs)}`;
}

/** Returns the hash of the tree that git would commit. It identifies the content of the files. */
function treeOf(root: string): string {
  run("git", ["add", "--all"], { cwd: root });
  return run("git", ["write-tree"], { cwd: root }).trim();
}
