import { parseArgs } from "node:util";

export const usage = `npm run release -- --dry-run [--version <version>] [--output <folder>]

Builds a release of the current commit twice, in copies, and compares the results. Publishes nothing and does not change the work tree.

  --dry-run            print the release; without this option, print the commands for trusted publishing (only in CI)
  --version 0.2.0      version (default: the version in CHANGELOG.md, otherwise the lowest that the commits allow)
  --output <folder>    folder for tarballs, changelog, SBOM, release.patch and publish.sh; must be empty or not exist

Example: npm run release -- --dry-run --output /tmp/release && git apply /tmp/release/release.patch
`;

export interface ReleaseOptions {
  readonly isDryRun: boolean;
  readonly isHelp: boolean;
  readonly version: string | undefined;
  readonly output: string | undefined;
}

/** Parses the command line. @throws {Error} if an argument is invalid */
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
