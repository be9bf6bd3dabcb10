import { type Manifest, originFields, urlOf } from "./manifest.ts";
import type { ReleasedTarball } from "./tarballs.ts";

/** Oldest npm that supports trusted publishing through OIDC. */
const leastNpm = [11, 5, 1] as const;

/**
 * Returns the CI system whose identity this process could publish with, without an npm token. Only checks that CI offers an identity; does
 * not read it.
 */
export function trustedPublisher(environment: NodeJS.ProcessEnv): "GitHub Actions" | "GitLab CI" | undefined {
  if (environment.ACTIONS_ID_TOKEN_REQUEST_URL && environment.ACTIONS_ID_TOKEN_REQUEST_TOKEN) return "GitHub Actions";
  return environment.GITLAB_CI && environment.NPM_ID_TOKEN ? "GitLab CI" : undefined;
}

export interface ReadyToPublish {
  /** The `package.json` of the workspace. */
  readonly workspace: Manifest;
  /** Version in the tag of the commit, if it has one. */
  readonly tagged: string | undefined;
  /** Version of npm, such as `11.19.1`. */
  readonly npm: string;
}

const meanings = {
  repository: 'set it to { "type": "git", "url": "git+https://…" }, which npm compares with the publisher\'s identity',
  homepage: "set it to the address of the documentation",
  bugs: "set it to the address where users report bugs",
} as const;

/** Returns a message for each obstacle to publishing with provenance. A dry run ignores these obstacles. */
export function obstacles({ workspace, tagged, npm }: ReadyToPublish): readonly string[] {
  const found: string[] = [];
  if (tagged === undefined) found.push("the commit has no tag such as v0.2.0");
  for (const field of originFields)
    if (!(field === "repository" ? urlOf(workspace.repository) : workspace[field]))
      found.push(`package.json of the workspace: ${field}: Required value: ${meanings[field]}`);
  const parts = npm.split(".").map(Number);
  const order = leastNpm.map((least, index) => (parts[index] ?? 0) - least).find((difference) => difference !== 0) ?? 0;
  if (order < 0) found.push(`npm ${npm} does not support trusted publishing; update to ${leastNpm.join(".")} or newer`);
  return found;
}

/** Returns the publish commands in order. */
export function publishCommands(tarballs: readonly ReleasedTarball[]): readonly string[] {
  return tarballs.map(({ file }) => `npm publish ./${file} --access public --provenance`);
}

/** Returns a script that publishes the tarballs in the script's own folder, and stops at the first failure. */
export function publishScript(version: string, commands: readonly string[]): string {
  const start = `#!/bin/sh\n# Publishes ${version}, each package after its dependencies.\nset -eu\ncd "$(dirname "$0")"\n`;
  return `${start}${commands.join("\n")}\n`;
}
