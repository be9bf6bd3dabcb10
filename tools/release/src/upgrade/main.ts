import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { run } from "@kubewright-tools/package-checks/command";
import { publishablePackages } from "@kubewright-tools/package-checks/packages";
import { serve } from "@kubewright-tools/package-checks/served";
import { packAll, type Tarball } from "@kubewright-tools/package-checks/tarballs";
import { copyOf } from "../copy.ts";
import { commonVersion, setVersion } from "../set-version.ts";
import { sideBySide } from "./side-by-side.ts";

const usage = `npm run test:upgrade [-- --from <revision>]

Checks the upgrade of a project from an earlier version of Kubewright to this one, from packed packages:

- creates a project with the earlier version, and upgrades it as docs/guide/deploying.md describes
- runs the checks and tests of the upgraded project
- deploys the earlier program, the upgraded one, and the earlier one again, with two replicas, while objects are
  written in two API versions; both versions serve webhooks at the same time

  --from <revision>   git revision of the earlier version (default: the tag v0.1.0)

The packages of this version must be built (npm run build). Requires npm's registry.`;

/** Version of the packages of an earlier revision that has the same version as this one. */
const unreleased = "0.0.1";

const { values } = parseArgs({
  options: { from: { type: "string", default: "v0.1.0" }, help: { type: "boolean", short: "h", default: false } },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const root = process.cwd();
const work = mkdtempSync(join(tmpdir(), "kubewright-upgrade-"));
// The scripts of the workspace resolve packages to their sources, but a user's project must not do this.
for (const name of ["NODE_OPTIONS", "npm_config_node_options"]) delete process.env[name];

const began = performance.now();
try {
  await upgrade(revisionOf(values.from));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

function step(text: string): void {
  console.log(`${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s  ${text}`);
}

/** Returns the commit of a revision. @throws {Error} if it does not exist */
function revisionOf(name: string): string {
  try {
    return run("git", ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`], {
      cwd: root,
    }).trim();
  } catch {
    throw new Error(
      `--from ${name}: this repository has no such revision; pass the revision of the earlier version, such as --from HEAD~100`,
    );
  }
}

/** Builds and packs the packages of an earlier revision, in a copy. The documentation is replaced by an empty page. */
function packEarlier(revision: string, present: string): readonly Tarball[] {
  const copy = join(work, "copy");
  copyOf(root, copy, revision);
  if (commonVersion(copy) === present) setVersion(copy, unreleased);
  const site = join(copy, "packages", "docs", "site");
  mkdirSync(site, { recursive: true });
  writeFileSync(join(site, "index.html"), "");
  const build = ["nx", "run-many", "-t", "build", "--exclude", "@kubewright/docs", "--skip-nx-cache"];
  run("npx", build, { cwd: copy, timeoutMs: 1_200_000, env: { ...process.env, NX_DAEMON: "false" } });
  const folder = join(work, "earlier-tarballs");
  mkdirSync(folder);
  return packAll(publishablePackages(copy), folder);
}

async function upgrade(revision: string): Promise<void> {
  const present = commonVersion(root);
  const later = packAll(publishablePackages(root), work);
  step(`packed ${later.length} packages of version ${present}`);
  const earlier = packEarlier(revision, present);
  const { version: past } = JSON.parse(readFileSync(join(earlier[0]?.folder ?? "", "package.json"), "utf8"));
  step(`built and packed ${earlier.length} packages of ${revision.slice(0, 8)} as version ${past}`);

  using served = await serve(join(work, "registry"), [...earlier, ...later]);
  const env = { ...served.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const before = join(work, "earlier", "shop");
  mkdirSync(dirname(before));
  const flags = ["shop", "--", "--domain", "example.com"];
  const inFolder = (cwd: string, program: string, ...words: string[]): string => {
    for (let attempt = 1; ; attempt++)
      try {
        return run(program, words, { cwd, env, timeoutMs: 900_000 });
      } catch (error) {
        // On a busy machine, the program may not load within the command's limit.
        if (attempt === 3 || !String(error).includes("did not end within")) throw error;
      }
  };
  inFolder(dirname(before), "npm", "create", "--yes", `kubewright@${past}`, ...flags);
  const site = ["--group", "shop", "--kind", "Site", "--version"];
  for (const words of [
    ["create", "api", ...site, "v1"],
    ["create", "api", ...site, "v1alpha1"],
    ["create", "webhook", ...site, "v1", "--defaulting", "--validation"],
    ["create", "webhook", ...site, "v1", "--conversion", "--hub", "v1", "--spoke", "v1alpha1"],
  ])
    inFolder(before, "npx", "kubewright", ...words);
  const path = join(before, "kubewright.json");
  const settings = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...settings, deployment: { ...settings.deployment, replicas: 2 } }, null, 2));
  inFolder(before, "npx", "kubewright", "generate");
  inFolder(before, "git", "add", "--all");
  step(`created a project with ${past}`);

  const after = join(work, "later", "shop");
  cpSync(before, after, { recursive: true, verbatimSymlinks: true });
  for (const command of upgradeCommands()) inFolder(after, "sh", "-c", command);
  step(`upgraded it to ${present}: ${inFolder(after, "git", "diff", "--shortstat").trim() || "no file changed"}`);
  for (const script of ["typecheck", "check"]) inFolder(after, "npm", "run", script);
  const list = JSON.parse(inFolder(after, "npm", "ls", "--all", "--json"));
  const stale = versionsIn(list).filter(([name, version]) => name.includes("kubewright") && version !== present);
  if (stale.length > 0) throw new Error(`packages of earlier versions remain: ${stale.map(String).join(" ")}`);
  step("its tests and checks pass, and it contains only packages of this version");

  const plane = join(work, "plane");
  mkdirSync(plane);
  const names = ["kubewright", "@kubewright/apimachinery", "@kubewright/codegen", "@kubewright/controller-manager"];
  const dependencies = Object.fromEntries(names.map((name) => [name, present]));
  writeFileSync(join(plane, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  inFolder(plane, "npm", "install", "--no-audit", "--no-fund");
  writeFileSync(join(plane, "side-by-side.js"), sideBySide);
  const output = inFolder(plane, "node", "side-by-side.js", before, after);
  for (const line of output.trimEnd().split("\n")) step(line);
}

/** Returns the commands of the guide. @throws {Error} if the guide does not contain them */
function upgradeCommands(): readonly string[] {
  const guide = readFileSync(join(root, "docs", "guide", "deploying.md"), "utf8");
  const [, commands] = /^## Upgrading Kubewright\n+```sh\n([\s\S]*?)^```/m.exec(guide) ?? [];
  if (commands === undefined) throw new Error("docs/guide/deploying.md: Upgrading Kubewright contains no commands");
  return commands.trim().split("\n");
}

interface Installed {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, Installed>>;
}

/** Returns the names and versions of all installed packages. */
function versionsIn({ dependencies = {} }: Installed): readonly (readonly [string, string])[] {
  return Object.entries(dependencies).flatMap(([name, one]) => [
    ...(one.version === undefined ? [] : ([[name, one.version]] as const)),
    ...versionsIn(one),
  ]);
}
