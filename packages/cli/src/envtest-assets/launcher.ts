export interface LauncherParts {
  /** Path of Node.js. */
  readonly node: string;
  /** Options for Node.js. */
  readonly nodeOptions: readonly string[];
  /** Absolute path of the program's module. */
  readonly program: string;
  /** File with the output of `--help`, which envtest reads at every start. */
  readonly help: string;
  /** Folder that caches compiled code. */
  readonly compileCache: string;
}

/**
 * Returns a shell script that starts a program with `exec`, so that the program itself receives signals and keeps the
 * script's parent process.
 */
export function launcherText({ node, nodeOptions, program, help, compileCache }: LauncherParts): string {
  const command = [node, ...nodeOptions, program].map(shellWord).join(" ");
  return `#!/bin/sh
# Written by "kubewright envtest-assets".
if [ "$#" = 1 ] && [ "$1" = --help ]; then exec cat ${shellWord(help)}; fi
KUBEWRIGHT_PARENT_PID=$PPID
NODE_COMPILE_CACHE=\${NODE_COMPILE_CACHE:-${shellWord(compileCache)}}
NODE_OPTIONS=
# One malloc arena instead of one per thread saves a few MiB.
MALLOC_ARENA_MAX=\${MALLOC_ARENA_MAX:-1}
export KUBEWRIGHT_PARENT_PID NODE_COMPILE_CACHE NODE_OPTIONS MALLOC_ARENA_MAX
exec ${command} "$@"
`;
}

/** Quotes a word for the shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
