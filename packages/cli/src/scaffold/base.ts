import { isRecord } from "@kubewright/apimachinery";
import { NotSoError } from "../command/errors.ts";
import { type TextFile, textAt } from "../project/files.ts";

const basePath = ".kubewright/base.json";
const conflictsPath = ".kubewright/conflicts.json";

/** Texts by path. */
export type Texts = Readonly<Record<string, string>>;

/** The files as they were written, so that an upgrade knows what the user changed. */
export const keepBase = (texts: Texts): TextFile => textsFile(basePath, texts);

/** What was offered and came into conflict with the user's, until it is settled. */
export const keepConflicts = (texts: Texts): TextFile => textsFile(conflictsPath, texts);

/** @throws {NotSoError} if the record cannot be read */
export const readBaseIfAny = (root: string): Texts => readTexts(root, basePath) ?? {};

/** @throws {NotSoError} if nobody knows what was written */
export function readBase(root: string): Texts {
  const base = readTexts(root, basePath);
  if (base) return base;
  throw new NotSoError(
    `${basePath}: is not there: what init wrote is not known, so that nothing can be merged: get it back from git`,
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
    throw new NotSoError(`${path}: cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  if (isTexts(value)) return value;
  throw new NotSoError(`${path}: must have texts by their paths`);
}

const isTexts = (value: unknown): value is Texts =>
  isRecord(value) &&
  Object.entries(value).every(
    ([path, text]) => typeof text === "string" && !/^[\\/]|(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path),
  );
