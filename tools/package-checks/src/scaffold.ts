import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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
  inProject("npm", "run", "check");
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  let shipped = "";
  if (twice) {
    const beganShipping = performance.now();
    inProject("npm", "run", "test:e2e"); // deploys to a control plane
    checkImage(root, inProject);
    shipped = `, deployment and image ${seconds(performance.now() - beganShipping)}`;
  }
  kubewright("upgrade");
  if (treeOf(root) !== tree) throw new Error("tests, checks or an upgrade to the same version changed the tree");
  return `on Node ${version} a project from npm create passes its checks: ${twice}${seconds(performance.now() - began)} in all, first reconcile after ${seconds(firstMs)}${shipped}`;
}

/**
 * Builds the image on an empty base image, and runs the program in its layer without the project's packages.
 *
 * @throws {Error} if the build or the program fails
 */
function checkImage(root: string, inProject: (program: string, ...words: string[]) => string): void {
  const [base, image, files] = ["base", "image", "files"].map((name) => join(root, "..", name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [join(base, "blobs", "sha256"), image, files]) mkdirSync(folder, { recursive: true });
  const add = (type: string, value: object): object => {
    const bytes = JSON.stringify(value);
    const hash = createHash("sha256").update(bytes).digest("hex");
    writeFileSync(join(base, "blobs", "sha256", hash), bytes);
    return { mediaType: `application/vnd.oci.image.${type}.v1+json`, digest: `sha256:${hash}`, size: bytes.length };
  };
  const platform = { os: "linux", architecture: "amd64" };
  const config = add("config", { ...platform, config: {}, rootfs: { type: "layers", diff_ids: [] } });
  const manifest = { ...add("manifest", { schemaVersion: 2, config, layers: [] }), platform };
  writeFileSync(join(base, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(join(base, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }));

  inProject("npm", "run", "image", "--", "--base", `oci:${base}`);
  run("tar", ["-xf", join(root, "dist", "image.tar"), "-C", image], { cwd: root });
  const blob = (digest: string): string => join(image, "blobs", digest.replace(":", "/"));
  const read = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Record<string, { digest: string }[]>;
  const built = read(join(image, "index.json")).manifests?.[0]?.digest ?? "";
  const layer = read(blob(built)).layers?.[0]?.digest ?? "";
  run("tar", ["-xzf", blob(layer), "-C", files], { cwd: root });
  const help = inProject("node", join(files, "app", "operator.mjs"), "--help");
  if (!help.includes("--leader-elect")) throw new Error(`the program in the image printed no flags:\n${help}`);
}

/** Returns the hash of the tree that git would commit. It identifies the content of the files. */
function treeOf(root: string): string {
  run("git", ["add", "--all"], { cwd: root });
  return run("git", ["write-tree"], { cwd: root }).trim();
}
