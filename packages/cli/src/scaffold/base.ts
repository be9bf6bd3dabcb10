import { isRecord } from "@kubewright/apimachinery";
import { CommandError } from "../command/errors.ts";
import { type TextFile, textAt } from "../project/files.ts";

const basePath = ".kubewright/base.json";
const conflictsPath = ".kubewright/conflicts.json";

/** Contents of files, keyed by path. */
export type Texts = Readonly<Record<string, string>>;

/** Returns the file that records what was written, so that an upgrade can detect the user's changes. */
export const keepBase = (texts: Texts): TextFile => textsFile(basePath, texts);

/**
 * Returns the file that records new contents that conflict with the user's files. It exists until the conflicts are
 * resolved.
 */
export const keepConflicts = (texts: Texts): TextFile => textsFile(conflictsPath, texts);

/**
 * Reads the record of written files. Returns an empty record if there is none.
 *
 * @throws {CommandError} if the record cannot be read
 */
export const readBaseIfAny = (root: string): Texts => readTexts(root, basePath) ?? {};

/** Reads the record of written files. @throws {CommandError} if the record does not exist or cannot be read */
export function readBase(root: string): Texts {
  const base = readTexts(root, basePath);
  if (base) return base;
  throw new CommandError(
    `${basePath} does not exist; upgrade needs this record of the files that init wrote; restore it from git`,
  );
}

export const readConflicts = (root: string): Texts => readTexts(root, conflictsPath) ?? {};

export const textsOf = (files: readonly TextFile[]): Texts =>
  Object.fromEntries(files.map(({ path, text }) => [path, text]));

function textsFile(path: string, texts: Texts): TextFile {
  const sorted = Object.fromEntries(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { path, text: `${JSON.stringify(sorted, undefined, 2)}\n` };
}

function readTexts(root: string, path: string): Texts | undefined {
  const text = textAt(root, path);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  if (isTexts(value)) return value;
  throw new CommandError(`${path}: must map paths to strings`);
}

const isTexts = (value: unknown): value is Texts =>
  isRecord(value) &&
  Object.entries(value).every(
    ([path, text]) => typeof text === "string" && !/^[\\/]|(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path),
  );
