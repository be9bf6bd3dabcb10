import { parseArgs } from "node:util";

export const usage = `npm run release -- --dry-run [--version <version>] [--output <folder>]

Makes the release of the present commit on a copy, twice, and compares. Publishes nothing and changes nothing in the tree.

  --dry-run            show the release; without it, this is CI's part: the commands by which its trusted publishing publishes
  --version 0.2.0      the version (default: the one that CHANGELOG.md announces, else what the commits ask for)
  --output <folder>    keep tarballs, changelog, SBOM, release.patch and publish.sh there; must be empty or missing

Example: npm run release -- --dry-run --output /tmp/release && git apply /tmp/release/release.patch
`;

export interface ReleaseOptions {
  readonly isDryRun: boolean;
  readonly isHelp: boolean;
  readonly version: string | undefined;
  readonly output: string | undefined;
}

/** @throws {Error} with what is wrong with them */
export function readArguments(args: readonly string[]): ReleaseOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      "dry-run": { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
      version: { type: "string" },
      output: { type: "string" },
    },
  });
  return { isDryRun: values["dry-run"], isHelp: values.help, version: values.version, output: values.output };
}
