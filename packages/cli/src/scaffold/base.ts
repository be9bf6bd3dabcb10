import type { TextFile } from "../project/files.ts";

const basePath = ".kubewright/base.json";

/** The files as they were written, so that an upgrade knows what the user changed. */
export const keepBase = (files: readonly TextFile[]): TextFile => ({
  path: basePath,
  text: `${JSON.stringify(Object.fromEntries(files.map(({ path, text }) => [path, text])), undefined, 2)}\n`,
});
