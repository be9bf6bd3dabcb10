import type { Manifest } from "./manifest.ts";
import type { ReleasedTarball } from "./tarballs.ts";

/** npm that can publish by OIDC. */
const leastNpm = [11, 5, 1] as const;

/**
 * Whose identity this process could publish under without a token of npm's: trusted publishing takes the identity that CI vouches for. Only
 * whether CI offers one is asked; it is not read.
 */
export function trustedPublisher(environment: NodeJS.ProcessEnv): "GitHub Actions" | "GitLab CI" | undefined {
  if (environment.ACTIONS_ID_TOKEN_REQUEST_URL && environment.ACTIONS_ID_TOKEN_REQUEST_TOKEN) return "GitHub Actions";
  return environment.GITLAB_CI && environment.NPM_ID_TOKEN ? "GitLab CI" : undefined;
}

export interface ReadyToPublish {
  readonly publishable: readonly Manifest[];
  /** The version that a tag of the commit names. */
  readonly tagged: string | undefined;
  /** Such as `11.19.1`. */
  readonly npm: string;
}

/** What stands in the way of publishing with provenance, one sentence each; nothing of it matters to a dry run. */
export function obstacles({ publishable, tagged, npm }: ReadyToPublish): readonly string[] {
  const found: string[] = [];
  if (tagged === undefined) found.push("the commit has no tag such as v0.2.0: publish what was tagged");
  const nameless = publishable.filter(({ repository }) => !urlOf(repository)).map(({ name }) => name);
  if (nameless.length > 0)
    found.push(`provenance wants "repository" in package.json, which is missing in ${abridged(nameless)}`);
  const parts = npm.split(".").map(Number);
  const order = leastNpm.map((least, index) => (parts[index] ?? 0) - least).find((difference) => difference !== 0) ?? 0;
  if (order < 0) found.push(`npm ${npm} knows no trusted publishing; ${leastNpm.join(".")} or newer does`);
  return found;
}

const urlOf = (repository: Manifest["repository"]): string | undefined =>
  typeof repository === "string" ? repository : repository?.url;

const abridged = (names: readonly string[]): string =>
  names.length > 3 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} more` : names.join(", ");

/** The commands that publish, in their order. */
export function publishCommands(tarballs: readonly ReleasedTarball[]): readonly string[] {
  return tarballs.map(({ file }) => `npm publish ./${file} --access public --provenance`);
}

/** Publishes from the folder that it lies in, and stops at the first failure. */
export function publishScript(version: string, commands: readonly string[]): string {
  const start = `#!/bin/sh\n# Publishes ${version}, each package after those that it needs.\nset -eu\ncd "$(dirname "$0")"\n`;
  return `${start}${commands.join("\n")}\n`;
}
