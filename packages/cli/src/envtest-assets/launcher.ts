export interface LauncherParts {
  /** The Node.js to run. */
  readonly node: string;
  /** Its options. */
  readonly nodeOptions: readonly string[];
  /** The program: absolute path of a module. */
  readonly program: string;
  /** A file with the answer to `--help`, which envtest asks at every start. */
  readonly help: string;
  /** Where compiled code is kept. */
  readonly compileCache: string;
}

/** Text of a shell script that stands for a program. It replaces itself, so that signals and the parent are the program's own. */
export function launcherText({ node, nodeOptions, program, help, compileCache }: LauncherParts): string {
  const command = [node, ...nodeOptions, program].map(shellWord).join(" ");
  return `#!/bin/sh
# Made by "kubewright envtest-assets".
if [ "$#" = 1 ] && [ "$1" = --help ]; then exec cat ${shellWord(help)}; fi
KUBEWRIGHT_PARENT_PID=$PPID
NODE_COMPILE_CACHE=\${NODE_COMPILE_CACHE:-${shellWord(compileCache)}}
NODE_OPTIONS=
# One heap of the C library for all threads, of which one allocates: a few MiB less.
MALLOC_ARENA_MAX=\${MALLOC_ARENA_MAX:-1}
export KUBEWRIGHT_PARENT_PID NODE_COMPILE_CACHE NODE_OPTIONS MALLOC_ARENA_MAX
exec ${command} "$@"
`;
}

/** A word that the shell takes as it is. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
