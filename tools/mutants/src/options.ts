import { parseArgs } from "node:util";
import type { Selection } from "./sources.ts";

export interface Options {
  readonly selection: Selection;
  readonly seed: string | undefined;
  readonly count: number;
  readonly nearest: number;
  /** Of the tests that reach a mutant, so many seconds, as they take unbroken. */
  readonly seconds: number;
  readonly allTests: boolean;
  readonly json: boolean;
  /** Ten mutants of what the last commit touches, in five minutes. */
  readonly ci: boolean;
  readonly minutes: number;
}

export const usage = `npm run test:mutants -- [options]
  --package <name>    sources of packages/<name> or apps/<name>
  --folder <path>     only below src/<path>
  --files <glob>      only these, from the root or from src
  --since <commit>    only folders that differ from the commit
  --seed <word>       which mutants are chosen (1)
  --count <n>         how many (50)
  --minutes <n>       when to stop (none)
  --nearest <n>       of the tests that import a file, only the n nearest files (all; 6 with --ci)
  --seconds <n>       of the tests that reach a mutant, n seconds of them as they take unbroken (20; no bound with --all-tests)
  --all-tests         what a package's own tests miss is shown to all tests of packages that depend on it
  --json              the whole report as JSON
  --help              print this text
  --ci                ten mutants of the folders of the last commit, at most five minutes; fails only if all tests fail unbroken`;

/** @throws {TypeError} for an option that is none */
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
  if (!(value > 0)) throw new TypeError(`--${name} ${given}: a number above 0 is wanted`);
  return value;
}
