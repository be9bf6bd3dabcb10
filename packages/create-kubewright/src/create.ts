import { main } from "@kubewright/cli";

/**
 * Runs `kubewright init` for `npm create kubewright`.
 *
 * @param argv arguments without the program name
 * @returns the exit code: 0 success, 1 failure, 2 wrong usage
 */
export const create = (argv: readonly string[]): Promise<number> => main(["init", ...argv]);
