/** A commit as git has it. */
export interface Commit {
  /** The whole hash. */
  readonly hash: string;
  readonly subject: string;
  readonly body: string;
}

/** What a commit says of itself by the rules of Conventional Commits 1.0.0. */
export interface Change {
  readonly hash: string;
  /** `feat`, `fix` and so on; `undefined` where the subject is not conventional. */
  readonly type: string | undefined;
  readonly scope: string | undefined;
  /** The subject without type and scope. */
  readonly text: string;
  readonly isBreaking: boolean;
  /** What the footer `BREAKING CHANGE` says. */
  readonly breakingNote: string | undefined;
}

/** Reads a commit. A subject that is not conventional is kept whole. */
export function changeOf({ hash, subject, body }: Commit): Change {
  const breakingNote = footer(body);
  const [, type, scope, mark, text] = subject.match(/^([a-z]+)(?:\(([^()]+)\))?(!)?: +(\S.*)$/) ?? [];
  return {
    hash,
    type,
    scope,
    text: text ?? subject,
    isBreaking: mark !== undefined || breakingNote !== undefined,
    breakingNote,
  };
}

/** A footer goes on until the next one, or an empty line. */
function footer(body: string): string | undefined {
  const lines = body.split("\n");
  const first = lines.findIndex((line) => /^BREAKING[ -]CHANGE: /.test(line));
  if (first < 0) return undefined;
  const rest = lines.slice(first + 1);
  const end = rest.findIndex((line) => line.trim() === "" || /^[A-Za-z-]+(: | #)/.test(line));
  const told = [lines[first]?.replace(/^[^:]*: /, ""), ...(end < 0 ? rest : rest.slice(0, end))];
  return told.join(" ").replace(/\s+/g, " ").trim();
}
