import { type ChaosCommand, chaosCommand, UsageError, usage } from "./chaos-options.ts";
import { Progress } from "./progress.ts";

// The modules that play schedules are imported after the arguments are read, because loading them takes longer than printing help.

type Signal = "SIGINT" | "SIGTERM";
const exitCodes: Readonly<Record<Signal, number>> = { SIGINT: 130, SIGTERM: 143 };

async function playMany(command: ChaosCommand & { does: "many" }): Promise<number> {
  const { from, count, goesOn, seed = Math.floor(Math.random() * 1_000_000) } = command;
  const stop = new AbortController();
  let ended: Signal | undefined;
  const end = (signal: Signal): void => {
    ended = signal;
    console.error(`${signal}: ends after this schedule`);
    stop.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  const { chaosTable, playSchedules } = await import("./play-schedules.ts");
  console.error(`playing ${count} schedules of seed ${seed}, from ${from}`);
  const progress = new Progress(
    count,
    () => performance.now(),
    (line) => console.error(line),
  );
  const report = await playSchedules({
    seed,
    count,
    from,
    goesOn,
    signal: stop.signal,
    onPlayed: progress.update,
    onFailure: (text) => console.error(text),
  });
  console.log(chaosTable(report));
  if (report.failures > 0) return 1;
  return ended !== undefined && report.played < count ? exitCodes[ended] : 0;
}

async function playOne({ seed, schedule: number, look }: ChaosCommand & { does: "one" }): Promise<number> {
  const [{ runSchedule }, { scheduleOf }] = [await import("./run-schedule.ts"), await import("./schedule.ts")];
  const schedule = scheduleOf(seed, number);
  console.log(`schedule ${number} of seed ${seed}, --cnf-namespaces=${schedule.cnfNamespaces}`);
  const { problems, settledMs } = await runSchedule(schedule, { trace: (line) => console.log(line), look });
  console.log(`settled after ${settledMs / 1_000} s`);
  for (const problem of problems) console.error(problem);
  return problems.length > 0 ? 1 : 0;
}

async function main(args: readonly string[]): Promise<number> {
  try {
    const command = chaosCommand(args);
    if (command.does === "many") return await playMany(command);
    if (command.does === "one") return await playOne(command);
    console.log(usage);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message} (see --help)`);
    return 2;
  }
}

process.exitCode = await main(process.argv.slice(2));
