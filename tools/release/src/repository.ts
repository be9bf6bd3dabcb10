import { run } from "@kubewright-tools/package-checks/command";
import type { Commit } from "./commits.ts";

/** The commit to release and its history. */
export interface Repository {
  readonly head: string;
  /** Commit time in seconds since 1970, UTC. */
  readonly committedAtSeconds: number;
  /** Version in a tag of this commit, such as `0.2.0`. */
  readonly tagged: string | undefined;
  /** Last version released before this commit. */
  readonly last: string | undefined;
  /** Commits since the last release, newest first. */
  readonly commits: readonly Commit[];
}

/**
 * Reads the commit to release and its history. @throws {Error} if there are uncommitted changes, because the release would
 * not be reproducible, or if the clone is shallow
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
      `uncommitted changes; commit or stash them, because a release is made from commits\n  ${shown}${more}`,
    );
  }
  if (git("rev-parse", "--is-shallow-repository") === "true")
    throw new Error("the clone is shallow; run git fetch --unshallow --tags, or set fetch-depth: 0 in CI");
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
