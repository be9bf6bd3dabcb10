import type { ProcessFiles, ProcessWorld } from "./shell/process-world.ts";
import { endless, type SimulatedRun, simulate } from "./shell/run-script.ts";

export { endless, type SimulatedRun };

/** Files of a container without files, whose changes are lost. */
export const noFiles: ProcessFiles = {
  has: () => false,
  isFolder: () => false,
  read: () => "",
  refusal: () => undefined,
  write: () => {},
  makeFolder: () => {},
  remove: () => {},
};

const emptyWorld: ProcessWorld = { env: new Map(), files: noFiles, random: Math.random };

/**
 * Returns the behaviour of a command that consists of `sleep`, `exit`, `true`, `false`, `echo`, `test`, `touch` and the like, with or
 * without a shell; `undefined` for anything else.
 */
export function simulatedRun(words: readonly string[], world: ProcessWorld = emptyWorld): SimulatedRun | undefined {
  const [program = "", flag, script, ...more] = words;
  if (program === "") return undefined;
  const isShell = /(^|\/)(ba|da|a)?sh$/.test(program) && /^-\w*c$/.test(flag ?? "") && script !== undefined;
  if (!isShell) return simulate((process) => process.command(words), world);
  return more.length === 0 ? simulate((process) => process.script(script), world) : undefined;
}
