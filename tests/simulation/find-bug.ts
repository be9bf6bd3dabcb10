import { type CheckName, isSimulationError, simulate } from "@kubewright/simulation";
import { bugs } from "./planted/bugs.ts";
import { Site } from "./planted/site.ts";

const allChecks: readonly CheckName[] = ["quiet", "idempotent", "history", "deletion", "healing", "fenced", "clean"];

/** Simulates the program with a planted bug. Returns the story of the failure, or undefined if the bug was not found. */
export async function findBug(name: string, schedules: number, seed: number): Promise<string | undefined> {
  const { checks = [] } = bugs[name] ?? {};
  const others = allChecks.filter((check) => !checks.includes(check));
  try {
    await simulate(new URL(`./planted/program.ts?bug=${name}`, import.meta.url), {
      kinds: [Site],
      schedules,
      seed,
      without: Object.fromEntries(others.map((check) => [check, "the bug must be found by another check"])),
      print: () => {},
    });
  } catch (error) {
    if (isSimulationError(error)) return error.message;
    throw error;
  }
  return undefined;
}
