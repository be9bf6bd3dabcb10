/** A commit as recorded by git. */
export interface Commit {
  /** Full hash. */
  readonly hash: string;
  readonly subject: string;
  readonly body: string;
}

/** A commit parsed by the rules of Conventional Commits 1.0.0. */
export interface Change {
  readonly hash: string;
  /** `feat`, `fix` and so on; `undefined` if the subject is not conventional. */
  readonly type: string | undefined;
  readonly scope: string | undefined;
  /** The subject without type and scope. */
  readonly text: string;
  readonly isBreaking: boolean;
  /** Text of the footer `BREAKING CHANGE`. */
  readonly breakingNote: string | undefined;
}

/** Parses a commit. If its subject is not conventional, `text` is the whole subject. */
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

/** Returns the text of the footer, which ends at the next footer or an empty line. */
function footer(body: string): string | undefined {
  const lines = body.split("\n");
  const first = lines.findIndex((line) => /^BREAKING[ -]CHANGE: /.test(line));
  if (first < 0) return undefined;
  const rest = lines.slice(first + 1);
  const end = rest.findIndex((line) => line.trim() === "" || /^[A-Za-z-]+(: | #)/.test(line));
  const message = [lines[first]?.replace(/^[^:]*: /, ""), ...(end < 0 ? rest : rest.slice(0, end))];
  return message.join(" ").replace(/\s+/g, " ").trim();
}
