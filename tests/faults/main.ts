import { parseArgs } from "node:util";

// The modules that play schedules are imported after the arguments are read, because loading them takes longer than printing help.

/** Below this number of schedules, not every fault has to occur. */
const leastForAllFaults = 1_000;

const options = {
  leader: { type: "boolean", default: false },
  shards: { type: "boolean", default: false },
  namespaces: { type: "boolean", default: false },
  figures: { type: "string" },
  webhooks: { type: "string" },
  rotations: { type: "string" },
  runs: { type: "string" },
  seed: { type: "string" },
  path: { type: "string" },
  processes: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

const usage = `Tests the cache, leader election, sharding or webhook certificates with random fault schedules.

Usage: npm run test:faults -- [options]

  --runs N        number of schedules (default 1000 for the cache, 10000 with --leader, 500 with --shards)
  --leader        test leader election
  --shards        test controllers that are shared by shards
  --namespaces    with --shards: divide namespaces, and cache only those of the held shards
  --figures N     measure four replicas that share N namespaces of 20 objects (at least 160)
  --webhooks N    play N schedules of webhook certificate rotation
  --rotations N   rotate the webhooks' certificate authority N times, with real processes
  --processes N   with --leader: stop the leader N times, with real processes
  --seed N        seed for the schedules (default: random, printed)
  --path PATH     replay a single failure; requires --seed
  --help          print this text`;

const { values } = readArguments();

function readArguments() {
  try {
    return parseArgs({ options });
  } catch (error) {
    const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    return refuse(line);
  }
}

function refuse(why: string): never {
  console.error(`${why} (see --help)`);
  process.exit(2);
}

if (values.help) {
  console.log(usage);
  process.exit(0);
}

function numberOf(option: "figures" | "runs" | "seed" | "processes" | "webhooks" | "rotations", text: string): number {
  if (!/^-?\d+$/.test(text) || (option !== "seed" && Number(text) < 1))
    refuse(`--${option} ${text}: not a number${option === "seed" ? "" : " of 1 or more"}`);
  return Number(text);
}

async function playSchedules(): Promise<void> {
  const { leader, shards, namespaces, webhooks, path } = values;
  if (namespaces && !shards) refuse("--namespaces requires --shards");
  if (path !== undefined && !/^\d+(:\d+)*$/.test(path)) refuse(`--path ${path}: not numbers separated by colons`);
  if (path !== undefined && values.seed === undefined) refuse("--path requires --seed");
  const options = {
    runs:
      webhooks === undefined
        ? numberOf("runs", values.runs ?? (leader ? "10000" : shards ? "500" : "1000"))
        : numberOf("webhooks", webhooks),
    seed: values.seed === undefined ? undefined : numberOf("seed", values.seed),
    path,
  };
  const { idleFaults, runSchedules, tableOf } = await import("./schedule/run-schedules.ts");
  const report = await (webhooks !== undefined
    ? runSchedules((await import("./webhooks/certificate-simulation.ts")).certificateSimulation, options)
    : leader
      ? runSchedules((await import("./leader/leader-simulation.ts")).leaderSimulation, options)
      : shards
        ? runSchedules(await shardSimulation(namespaces), options)
        : runSchedules((await import("./schedule/informer-simulation.ts")).informerSimulation, options));
  console.log(tableOf(report));
  const idle = report.failure || path || report.runs < leastForAllFaults ? [] : idleFaults(report);
  if (report.failure) console.error(report.failure);
  if (idle.length > 0) console.error(`never occurred: ${idle.join(", ")}`);
  if (report.failure || idle.length > 0) process.exitCode = 1;
}

async function measureShards(count: string): Promise<void> {
  const namespaces = numberOf("figures", count);
  if (namespaces < 160) refuse(`--figures ${count}: fewer than 160 namespaces cannot be divided into 16 shards`);
  const { shardFigures, shardShortfalls } = await import("./shards/figures.ts");
  const figures = await shardFigures({ namespaces, objectsPerNamespace: 20, replicas: 4, shards: 16 });
  console.log(figures);
  const problems = shardShortfalls(figures);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

async function shardSimulation(byNamespace: boolean) {
  const simulations = await import("./shards/shard-simulation.ts");
  return byNamespace ? simulations.namespaceSimulation : simulations.shardSimulation;
}

async function playProcesses(count: string): Promise<void> {
  const seed = numberOf("seed", values.seed ?? String(Math.floor(Math.random() * 0x7fff_ffff)));
  const wanted = numberOf("processes", count);
  const { runProcesses } = await import("./processes/run-processes.ts");
  const { problems, ...report } = await runProcesses(wanted, seed);
  console.log(`seed ${seed}:`, report);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

async function playRotations(count: string): Promise<void> {
  const wanted = numberOf("rotations", count);
  const { runRotations } = await import("./webhooks/rotations/run-rotations.ts");
  const { failures, cutOff, ...report } = await runRotations(wanted);
  console.log({ ...report, failures: failures.length, cutOff: { ...cutOff, failures: cutOff.failures.length } });
  for (const failure of cutOff.failures.slice(0, 3)) console.log(`aborted: ${failure}`);
  for (const failure of failures.slice(0, 20)) console.error(failure);
  if (failures.length > 0) process.exitCode = 1;
}

// Plays the schedules unless only processes are requested.
if (values.rotations !== undefined) await playRotations(values.rotations);
else if (values.figures !== undefined) await measureShards(values.figures);
else if (values.processes === undefined || values.runs !== undefined || values.path !== undefined)
  await playSchedules();
if (values.processes !== undefined) await playProcesses(values.processes);
