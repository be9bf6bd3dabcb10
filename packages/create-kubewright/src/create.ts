import { main } from "@kubewright/cli";

/**
 * `npm create kubewright shop -- --domain example.com` is `kubewright init shop --domain example.com`.
 *
 * @param argv what stands behind the program's own name
 * @returns the code to end with: 0 done, 1 not so, 2 usage
 */
export const create = (argv: readonly string[]): Promise<number> => main(["init", ...argv]);
