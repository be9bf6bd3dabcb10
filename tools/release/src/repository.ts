import { run } from "@kubewright-tools/package-checks/command";
import type { Commit } from "./commits.ts";

/** What git knows of the commit that is to be released. */
export interface Repository {
  readonly head: string;
  /** Of the commit, in UTC, in seconds since 1970. */
  readonly committedAtSeconds: number;
  /** The version that a tag of this very commit names, such as `0.2.0`. */
  readonly tagged: string | undefined;
  /** The version that was released last before this commit. */
  readonly last: string | undefined;
  /** Those after the last release, the newest first. */
  readonly commits: readonly Commit[];
}

/**
 * @throws {Error} if something is not committed, so that nobody could make the release again, or git has but a part of the history
 */
export function readRepository(root: string): Repository {
  const git = (...args: readonly string[]): string => run("git", args, { cwd: root }).trim();
  const changed = run("git", ["status", "--porcelain"], { cwd: root })
    .split("\n")
    .filter((line) => line !== "");
  if (changed.length > 0) {
    const shown = changed.slice(0, 5).join("\n  ");
    const more = changed.length > 5 ? `\n  and ${changed.length - 5} more` : "";
    throw new Error(
      `the tree is dirty: commit or stash what stands there, a release is made of commits\n  ${shown}${more}`,
    );
  }
  if (git("rev-parse", "--is-shallow-repository") === "true")
    throw new Error("the history is cut off (a shallow clone): git fetch --unshallow --tags, or fetch-depth: 0 in CI");
  const tagged = versionsIn(git("tag", "--points-at", "HEAD", "--list", "v*", "--sort=-v:refname"))[0];
  const earlier = versionsIn(git("tag", "--merged", "HEAD", "--list", "v*", "--sort=-v:refname"));
  const last = earlier.find((version) => version !== tagged);
  const range = last === undefined ? "HEAD" : `v${last}..HEAD`;
  return {
    head: git("rev-parse", "HEAD"),
    committedAtSeconds: Number(git("log", "-1", "--format=%ct")),
    tagged,
    last,
    commits: commitsIn(git("log", "--no-merges", "--format=%H%x1f%s%x1f%b%x1e", range)),
  };
}

function versionsIn(tags: string): readonly string[] {
  return tags.split("\n").flatMap((tag) => tag.match(/^v(\d+\.\d+\.\d+)$/)?.[1] ?? []);
}

function commitsIn(log: string): readonly Commit[] {
  return log.split("\x1e").flatMap((record) => {
    const [hash = "", subject = "", body = ""] = record.trimStart().split("\x1f");
    return hash === "" ? [] : [{ hash, subject, body: body.trim() }];
  });
}
