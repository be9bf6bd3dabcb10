import type { Clock } from "@kubewright/clock";
import type { ContainerFiles, FileStatus } from "./simulated-files.ts";

export interface MountTestOptions {
  readonly files: ContainerFiles;
  readonly clock: Clock;
  /** Prints output. */
  readonly write: (text: string) => void;
  /** Stops the program. */
  readonly signal: AbortSignal;
}

const initialContent = "mount-tester new file\n";
const pauseMs = 2_000;
const volumesPauseMs = 10_000;

/**
 * Does what the image `agnhost` does for `mounttest`: creates files, and prints properties and contents of files. The order of its steps is
 * the same as in the image.
 *
 * @returns the exit code
 */
export async function mountTest(args: readonly string[], options: MountTestOptions): Promise<number> {
  const { files, write } = options;
  const flags = new Map(args.map((arg) => /^--([a-z_0-9]+)=(.*)$/s.exec(arg)?.slice(1) ?? []) as [string, string][]);
  let code = 0;
  const fail = (message: string): void => {
    write(`${message}\n`);
    code = 1;
  };
  const on = (flag: string, step: (path: string) => void): void => {
    const path = flags.get(flag);
    if (path) step(path);
  };
  const content = (path: string): void => {
    const bytes = files.open(path);
    if (typeof bytes === "string") fail(`error reading file content for "${path}": open ${path}: ${bytes}`);
    else write(`content of file "${path}": ${bytes}\n`);
  };
  const withStatus = (path: string, print: (status: FileStatus) => string): void => {
    const status = files.status(path);
    if (status) write(print(status));
    else fail(`error from stat("${path}"): no such file or directory`);
  };
  on("fs_type", (path) => write(`mount type of "${path}": ${files.fileSystem(path)}\n`));
  for (const mode of ["0644", "0666", "0660", "0777"])
    on(`new_file_${mode}`, (path) => {
      const refusal = files.refusal(path);
      if (refusal) return fail(`error writing new file "${path}": open ${path}: ${refusal.toLowerCase()}`);
      files.write(path, initialContent, Number.parseInt(mode, 8));
      content(path);
    });
  on("file_mode", (path) =>
    withStatus(path, ({ isFolder, mode }) => `mode of file "${path}": ${isFolder ? "d" : "-"}${permissions(mode)}\n`),
  );
  on("file_perm", (path) => withStatus(path, ({ mode }) => `perms of file "${path}": -${permissions(mode)}\n`));
  on("file_owner", (path) =>
    withStatus(path, ({ uid, gid }) => `owner UID of "${path}": ${uid}\nowner GID of "${path}": ${gid}\n`),
  );
  on("file_content", content);
  const looped = flags.get("file_content_in_loop");
  if (looped && !(await readInLoop(looped, flags, options))) code = 1;
  return code;
}

const permissions = (mode: number): string =>
  Array.from("rwxrwxrwx", (letter, i) => ((mode >> (8 - i)) & 1 ? letter : "-")).join("");

/** @returns false if the last attempt to read the file failed */
async function readInLoop(
  path: string,
  flags: ReadonlyMap<string, string>,
  { files, clock, write, signal }: MountTestOptions,
): Promise<boolean> {
  const end = clock.now() + Number(flags.get("retry_time") ?? 180) * 1_000;
  const breaks = flags.get("break_on_expected_content") !== "false";
  let isRead = true;
  for (let readAt = clock.now(); clock.now() < end && !signal.aborted; await clock.sleep(pauseMs, signal)) {
    if (clock.now() - readAt >= volumesPauseMs) {
      await files.refresh().catch(() => {}); // like on a node, the old files remain
      readAt = clock.now();
    }
    const bytes = files.open(path);
    isRead = typeof bytes !== "string";
    if (typeof bytes === "string") {
      write(`Error reading file ${path}: open ${path}: ${bytes}, retrying\n`);
      continue;
    }
    write(`content of file "${path}": ${bytes}\n`);
    if (!breaks) continue;
    if (bytes.toString() === initialContent) break;
    write(`Unexpected content. Expected: ${initialContent}. Retrying\n`);
  }
  return isRead;
}
