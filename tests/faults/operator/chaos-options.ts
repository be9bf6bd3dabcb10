import { parseArgs } from "node:util";

/** What the command line asks for. */
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

/** The command line is not one that is understood. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const example = "npm run test:chaos -- --seed 3 --from 4 --schedules 2";

export const usage = `Plays schedules of faults and of users' actions against the whole SD-EWAN operator, on a virtual clock.

  --seed N         of which schedules are made; default: any, which is said
  --schedules N    how many; default 1000
  --from N         the number of the first one; default 0
  --keep-going     goes on after a failure
  --schedule N     plays this one alone and tells what happens; needs --seed
  --look TEXT      with --schedule: lines of the log and requests with this text are told too
  --help           says this

Progress goes to stderr, a table of what happened to stdout. SIGINT and SIGTERM end after the schedule under way, with the table so far;
a second one ends at once. The exit code is 0 if all was well, 1 after a failure, 2 for a wrong command line, and 130 or 143
if a signal came before anything failed.

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

/** @throws {UsageError} if that is no command line of ours */
export function chaosCommand(args: readonly string[]): ChaosCommand {
  const values = parsed(args);
  if (values.help) return { does: "help" };
  const number = (option: "seed" | "schedules" | "from" | "schedule", least = 0): number | undefined => {
    const text = values[option];
    if (text === undefined) return undefined;
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    throw new UsageError(`--${option} ${text}: want a whole number from ${least} to 999999999`);
  };
  const [seed, schedule] = [number("seed"), number("schedule")];
  if (schedule === undefined) {
    if (values.look !== undefined) throw new UsageError("--look goes with --schedule, for one schedule is told about");
    const [from = 0, count = 1_000] = [number("from"), number("schedules", 1)];
    return { does: "many", seed, from, count, goesOn: values["keep-going"] ?? false };
  }
  for (const other of ["schedules", "from", "keep-going"] as const)
    if (values[other] !== undefined) throw new UsageError(`--schedule plays one alone: leave out --${other}`);
  if (seed === undefined) throw new UsageError(`--schedule ${schedule}: say of which --seed`);
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
