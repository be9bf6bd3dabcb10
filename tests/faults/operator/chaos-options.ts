import { parseArgs } from "node:util";

/** The parsed command line. */
export type ChaosCommand =
  | { readonly does: "help" }
  | {
      readonly does: "many";
      readonly seed: number | undefined;
      readonly from: number;
      readonly count: number;
      readonly goesOn: boolean;
    }
  | {
      readonly does: "one";
      readonly seed: number;
      readonly schedule: number;
      readonly look: string | undefined;
    };

/** The command line is not valid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const example = "npm run test:chaos -- --seed 3 --from 4 --schedules 2";

export const usage = `Plays schedules of faults and user actions against the whole SD-EWAN operator, on a virtual clock.

  --seed N         seed for the schedules (default: random, printed)
  --schedules N    number of schedules (default: 1000)
  --from N         number of the first schedule (default: 0)
  --keep-going     continue after a failure
  --schedule N     play only this schedule and print its steps; requires --seed
  --look TEXT      with --schedule: also print log lines and requests with this text
  --help           print this text

Prints progress to stderr and a table of actions to stdout. SIGINT or SIGTERM ends the run after the current schedule and prints the table;
a second signal ends the run immediately. Exit codes: 0 for success, 1 for a failure, 2 for an invalid command line, and 130 or 143
if a signal arrived before any failure.

Example: ${example}
`;

const options = {
  schedules: { type: "string" },
  seed: { type: "string" },
  from: { type: "string" },
  schedule: { type: "string" },
  look: { type: "string" },
  "keep-going": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** @throws {UsageError} if the command line is not valid */
export function chaosCommand(args: readonly string[]): ChaosCommand {
  const values = parsed(args);
  if (values.help) return { does: "help" };
  const number = (option: "seed" | "schedules" | "from" | "schedule", least = 0): number | undefined => {
    const text = values[option];
    if (text === undefined) return undefined;
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    throw new UsageError(`--${option} ${text}: must be a whole number from ${least} to 999999999`);
  };
  const [seed, schedule] = [number("seed"), number("schedule")];
  if (schedule === undefined) {
    if (values.look !== undefined) throw new UsageError("--look requires --schedule, because it prints one schedule");
    const [from = 0, count = 1_000] = [number("from"), number("schedules", 1)];
    return { does: "many", seed, from, count, goesOn: values["keep-going"] ?? false };
  }
  for (const other of ["schedules", "from", "keep-going"] as const)
    if (values[other] !== undefined) throw new UsageError(`--schedule plays a single schedule: remove --${other}`);
  if (seed === undefined) throw new UsageError(`--schedule ${schedule}: add --seed`);
  return { does: "one", seed, schedule, look: values.look };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split(". ") : [];
    throw new UsageError(String(reason));
  }
}
