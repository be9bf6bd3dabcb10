import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandError } from "../command/errors.ts";

/** Three versions of a file. */
export interface Versions {
  readonly base: string;
  readonly yours: string;
  readonly next: string;
}

export interface Merged {
  /** Merged text, with git's conflict markers if there are conflicts. */
  readonly text: string;
  readonly conflicts: number;
}

/** Merges two versions of a file with git. No repository is needed. @throws {CommandError} if git is not installed */
export function mergeFile({ base, yours, next }: Versions, label: string): Merged {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-merge-"));
  try {
    const places = Object.entries({ yours, base, next }).map(([name, text]) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    });
    const labels = ["yours", "original", label].flatMap((one) => ["-L", one]);
    const { status, stdout, stderr, error } = spawnSync("git", ["merge-file", "-p", ...labels, ...places], {
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    if (status === null || status > 127)
      throw new CommandError(
        `git merge-file: ${error?.message ?? stderr.trim()}; kubewright upgrade requires git in PATH`,
      );
    return { text: stdout, conflicts: status };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Reports whether a string contains git's conflict markers. */
export const hasMarks = (text: string): boolean => /^<{7} [\s\S]*^={7}$[\s\S]*^>{7} /m.test(text);
