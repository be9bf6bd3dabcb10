import { cpSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { run } from "@kubewright-tools/package-checks/command";
import { readLimits, sizeComplaints } from "@kubewright-tools/package-checks/sizes";
import type { ReleaseOptions } from "./arguments.ts";
import { readManifest } from "./manifest.ts";
import { obstacles, publishCommands, publishScript, trustedPublisher } from "./publishing.ts";
import { differences, makeRelease, versionToRelease } from "./release.ts";
import { report } from "./report.ts";
import { readRepository } from "./repository.ts";

export interface ReleaseCommand extends ReleaseOptions {
  /** Empty folder for the copies. */
  readonly work: string;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Makes a release of the workspace at `root` and returns the output of `npm run release`.
 *
 * @throws {Error} if the commit cannot be released, or if `isDryRun` is false outside of a CI with an identity that npm trusts
 */
export function releaseCommand(root: string, command: ReleaseCommand): string {
  const { isDryRun, version: asked, output, work, environment } = command;
  const publisher = trustedPublisher(environment);
  if (!isDryRun && !publisher)
    throw new Error(
      "only CI can publish, because it has the identity for trusted publishing and provenance " +
        "(docs/contributing/releasing.md). Try the release with npm run release -- --dry-run",
    );
  const repository = readRepository(root);
  const version = versionToRelease(root, repository, asked);
  const npm = run("npm", ["--version"], { cwd: root }).trim();
  const inTheWay = obstacles({ workspace: readManifest(root), tagged: repository.tagged, npm });
  if (!isDryRun && inTheWay.length > 0) throw new Error(`cannot publish:\n  ${inTheWay.join("\n  ")}`);

  const [release, again] = [join(work, "one"), join(work, "another", "place")].map((folder) =>
    makeRelease(root, repository, version, folder),
  );
  if (!release || !again) throw new Error("a release was not made");
  const different = differences(release, again);
  if (different.length > 0)
    throw new Error(`the same commit gave different bytes the second time: ${different.join(", ")}`);
  const limits = readLimits(root);
  const complaints = sizeComplaints(release.tarballs, limits);
  if (complaints.length > 0) throw new Error(complaints.join("\n"));

  const commands = publishCommands(release.tarballs);
  if (output !== undefined) {
    const kept = resolve(root, output);
    cpSync(join(work, "one", "out"), kept, { recursive: true });
    if (inTheWay.length === 0) writeFileSync(join(kept, "publish.sh"), publishScript(version, commands));
  }
  return [
    report(release, repository, limits),
    `made twice with equal bytes, by Node ${process.versions.node} and npm ${npm}`,
    "",
    ...(publisher && !isDryRun
      ? [
          `${publisher} publishes with these commands; this program does not run them`,
          ...commands.map((each) => `  ${each}`),
        ]
      : ["nothing was published", ...inTheWay.map((each) => `obstacle to publishing: ${each}`)]),
  ].join("\n");
}
