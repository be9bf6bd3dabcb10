import { type CheckName, type FaultClass, isSimulationError, simulate } from "@kubewright/simulation";
import { fakeBucket } from "./planted/bucket.ts";
import { bugs } from "./planted/bugs.ts";
import { Site } from "./planted/site.ts";

const allChecks: readonly CheckName[] = [
  "active",
  "quiet",
  "idempotent",
  "history",
  "deletion",
  "healing",
  "fenced",
  "clean",
];

/** Settings of a search for a bug. */
export interface Search {
  /** Maximum number of schedules. */
  readonly schedules: number;
  readonly seed: number;
  /** Class of faults that do not happen. Default: all happen. */
  readonly without?: FaultClass | undefined;
  /** False to leave the story as long as it is. Default true. */
  readonly shorten?: boolean | undefined;
}

/** A bug that a simulation found. */
export interface FoundBug {
  /** Number of schedules that were played until then. */
  readonly played: number;
  /** Check that noticed it. */
  readonly check: string;
  readonly story: string;
}

/** Simulates the program with a planted bug. Returns undefined if the bug was not found. */
export async function findBug(
  name: string,
  { schedules, seed, without, shorten }: Search,
): Promise<FoundBug | undefined> {
  const { checks = [], hasRole = false } = bugs[name] ?? {};
  const others = allChecks.filter((check) => !checks.includes(check));
  try {
    await simulate(new URL(`./planted/program.ts?bug=${name}`, import.meta.url), {
      kinds: [Site],
      world: [fakeBucket()],
      schedules,
      seed,
      without: Object.fromEntries(others.map((check) => [check, "the bug must be found by another check"])),
      withoutFaults: without ? { [without]: "the bug needs these faults" } : {},
      ...(hasRole ? { role: "generated" } : {}),
      shorten,
      print: () => {},
    });
  } catch (error) {
    if (!isSimulationError(error)) throw error;
    const story = error.message;
    const [, number = "0"] = /^schedule (\d+) /.exec(story) ?? [];
    const [, check = "?"] = /^✗ (\w+): /m.exec(story) ?? [];
    return { played: Number(number) + 1, check, story };
  }
  return undefined;
}
