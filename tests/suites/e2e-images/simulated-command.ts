import type { ProcessWorld } from "./shell/process-world.ts";
import { endless, type SimulatedRun, simulate } from "./shell/run-script.ts";

export { endless, type SimulatedRun };

const emptyWorld: ProcessWorld = {
  env: new Map(),
  files: { has: () => false, read: () => "", write: () => {}, remove: () => {} },
  random: Math.random,
};

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
