import { main } from "@kubewright/cli";

/**
 * Runs `kubewright init` for `npm create kubewright`.
 *
 * @param argv arguments without the program name
 * @returns the exit code: 0 for success, 1 for a failure, 2 for wrong usage
 */
export const create = (argv: readonly string[]): Promise<number> => main(["init", ...argv]);
