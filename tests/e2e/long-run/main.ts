import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type LongRunReport, longRun } from "./long-run.ts";

const [fromVersion, toVersion] = ["1.36.3", "1.37.2"];
const usage = `npm run test:long-run -- [options]

Runs the SD-EWAN operator and example 08 on kube-apiserver with etcd, while clients write. Restarts and upgrades the server, kills replicas
and rotates certificates. Exits with 1 if a write was lost, an object or a watch was left behind, or memory grew.

  --minutes N         duration of the writes in minutes (default: 60)
  --seed N            seed of the random choices (default: a new one)
  --resources N       number of the operator's resources (default: 500)
  --from-assets DIR   folder with etcd and kube-apiserver to start with (default: builds ${fromVersion})
  --to-assets DIR     folder with kube-apiserver to upgrade to (default: builds ${toVersion})
  --embedded          use the embedded API server, without an upgrade
  --logs DIR          folder for the logs of the programs (default: no logs)
  --help              print this text

Building kube-apiserver requires Go.`;

function readOptions() {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "60" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
      resources: { type: "string", default: "500" },
      "from-assets": { type: "string" },
      "to-assets": { type: "string" },
      embedded: { type: "boolean", default: false },
      logs: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const number = (name: "minutes" | "seed" | "resources", isValid: (value: number) => boolean): number => {
    const value = Number(values[name]);
    if (!isValid(value)) throw new Error(`--${name} ${values[name]}: must be a positive number`);
    return value;
  };
  return {
    ...values,
    minutes: number("minutes", (value) => value > 0 && Number.isFinite(value)),
    seed: number("seed", Number.isSafeInteger),
    resources: number("resources", (value) => value >= 1 && Number.isSafeInteger(value)),
  };
}

/** Returns a folder with kube-apiserver and etcd, which is built unless it is cached. @throws {Error} if the build fails */
function built(version: string): string {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const builder = join(root, "tools", "kube-apiserver", "src", "main.ts");
  const { stdout } = spawnSync(process.execPath, [builder, "--kubernetes", version], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [, assets] = /^export KUBEBUILDER_ASSETS=(.*)$/m.exec(stdout) ?? [];
  if (!assets) throw new Error(`kube-apiserver ${version} was not built; use --from-assets and --to-assets`);
  return assets;
}

const inMB = (bytes: number): string => (bytes / 1e6).toFixed(0);
const inSeconds = (ms: number): string => (ms / 1_000).toFixed(2);

function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const all = [header, ...rows].map((row) => row.map(String));
  const widths = header.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  return all
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join("  "),
    )
    .join("\n");
}

function print(report: LongRunReport): void {
  const { writes, errors, requests, conflicts, programRequests, memory, watches, latencies, rotations } = report;
  const sum = (counts: ReadonlyMap<string, number>, pattern: RegExp): number =>
    [...counts].reduce((total, [name, count]) => total + (pattern.test(name) ? count : 0), 0);
  console.log(`\nServers: ${report.servers.join(", then ")}; ${report.restarts} restarts
Replicas: ${report.kills} killed, ${report.endedByItself} ended by themselves
Rotations of certificate authorities: ${Object.entries(rotations)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ")}
Settled ${inSeconds(report.settledMs)} s after the last write\n`);
  console.log(
    table(
      ["writes of the clients", ""],
      [
        ["attempts", writes.attempts],
        ["acknowledged", writes.acknowledged],
        ["refused, as they must be", writes.refused],
        ["conflicts, retried", writes.conflicts],
        ["failed while the server was down", writes.whileDown],
        ["failed otherwise", writes.failed],
      ],
    ),
  );
  for (const [text, count] of [...errors].toSorted((a, b) => b[1] - a[1])) console.log(`  ${count} x ${text}`);
  console.log(
    `\n${table(
      ["requests to the server", ""],
      [...requests].toSorted((a, b) => b[1] - a[1]),
    )}`,
  );
  console.log(`conflicts: ${conflicts}\n`);
  console.log(
    table(
      ["program", "requests", "writes", "conflicts", "no answer", "watches at start", "at end"],
      [...programRequests].map(([name, counts]) => [
        ...[
          name,
          sum(counts, /./),
          sum(counts, /^(POST|PUT|PATCH|DELETE)/),
          sum(counts, / 409$/),
          sum(counts, /<error>/),
        ],
        ...(watches.get(name) ?? []),
      ]),
    ),
  );
  console.log();
  console.log(
    table(
      ["replica", "RSS at start, MB", "at end", "heap at start, MB", "at end"],
      memory.map(({ start, end }) => [start.name, inMB(start.rss), inMB(end.rss), inMB(start.heap), inMB(end.heap)]),
    ),
  );
  console.log();
  console.log(
    table(
      ["write to effect", "writes", "p50, s", "p99, s"],
      latencies.map(({ phase, writes, p50Ms, p99Ms }) => [phase, writes, inSeconds(p50Ms), inSeconds(p99Ms)]),
    ),
  );
}

async function main(): Promise<number> {
  const options = readOptions();
  if (options.help) {
    console.log(usage);
    return 0;
  }
  const { minutes, seed, resources, embedded, logs } = options;
  if (logs !== undefined) mkdirSync(logs, { recursive: true });
  const assets = embedded
    ? undefined
    : {
        from: resolve(options["from-assets"] ?? built(fromVersion)),
        to: resolve(options["to-assets"] ?? built(toVersion)),
      };
  console.log(`${minutes} minutes, --seed ${seed}`);
  let unhandled = 0;
  process.on("unhandledRejection", (reason) => {
    unhandled++;
    console.error("unhandled rejection:", reason);
  });
  const start = performance.now();
  const onLine = (text: string): void => {
    const seconds = Math.floor((performance.now() - start) / 1_000);
    console.log(
      `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")} ${text}`,
    );
  };
  const report = await longRun({ minutes, seed, resources, assets, logs, onLine });
  print(report);
  const { problems } = report;
  for (const problem of problems.slice(0, 50)) console.error(problem);
  if (unhandled > 0) console.error(`${unhandled} unhandled rejections`);
  if (problems.length > 0)
    console.error(`${problems.length} problems: something was lost, left behind or not validated`);
  else console.log("\nnothing was lost, and nothing was left behind");
  return problems.length > 0 || unhandled > 0 ? 1 : 0;
}

try {
  process.exit(await main());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
}
