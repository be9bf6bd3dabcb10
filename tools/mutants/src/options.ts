import { parseArgs } from "node:util";
import type { Selection } from "./sources.ts";

export interface Options {
  readonly selection: Selection;
  readonly seed: string | undefined;
  readonly count: number;
  readonly nearest: number;
  /** Maximum total duration of the tests that reach a mutant, in seconds, measured without a mutant. */
  readonly seconds: number;
  readonly allTests: boolean;
  readonly json: boolean;
  /** True to try ten mutants of the folders that the last commit changed, within five minutes. */
  readonly ci: boolean;
  readonly minutes: number;
}

export const usage = `npm run test:mutants -- [options]
  --package <name>    mutate sources of packages/<name> or apps/<name>
  --folder <path>     mutate only sources in src/<path>
  --files <glob>      mutate only matching files; the glob is relative to the root or to src
  --since <commit>    mutate only folders that differ from the commit
  --seed <word>       seed for choosing mutants (default: 1)
  --count <n>         number of mutants (default: 50; 10 with --ci)
  --minutes <n>       time limit (default: none; 5 with --ci)
  --nearest <n>       run only the n nearest test files that import the mutated file (default: all; 6 with --ci)
  --seconds <n>       total time for tests that reach a mutant (default: 20; unlimited with --all-tests)
  --all-tests         if a package's tests miss a mutant, also run the tests of dependent packages
  --json              print the complete report as JSON
  --help              print this text
  --ci                mutate folders of the last commit; fail only if all tests fail without a mutant`;

/** Parses the command line. @throws {TypeError} if an option is unknown or invalid */
export function parseOptions(args: readonly string[]): Options {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{
        package: text,
        folder: text,
        files: text,
        since: text,
        seed: text,
        count: text,
        minutes: text,
        nearest: text,
        seconds: text,
      },
      ...{ "all-tests": flag, json: flag, ci: flag },
    },
  });
  const { package: name, folder, files, since } = values;
  return {
    selection: {
      ...(name && { package: name }),
      ...(folder && { folder }),
      ...(files && { files }),
      ...(since && { since }),
    },
    seed: values.seed,
    count: numberOf("count", values.count, values.ci ? 10 : 50),
    nearest: numberOf("nearest", values.nearest, values.ci ? 6 : Number.POSITIVE_INFINITY),
    seconds: numberOf("seconds", values.seconds, values["all-tests"] ? Number.POSITIVE_INFINITY : 20),
    allTests: values["all-tests"],
    json: values.json,
    ci: values.ci,
    minutes: numberOf("minutes", values.minutes, values.ci ? 5 : Number.POSITIVE_INFINITY),
  };
}

function numberOf(name: string, given: string | undefined, otherwise: number): number {
  const value = given === undefined ? otherwise : Number(given);
  if (!(value > 0)) throw new TypeError(`--${name} ${given}: must be greater than 0`);
  return value;
}
