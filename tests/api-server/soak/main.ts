import { parseArgs } from "node:util";
import { type ChurnReport, churn } from "./churn.ts";

const usage = `npm run test:soak -- [options]

Writes to an API server that has many watches, and checks that all watchers see the same objects and that memory does not grow.

  --minutes N   duration in minutes (default: 30)
  --watchers N  number of watches (default: 200)`;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    watchers: { type: "string", default: "200" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const minutes = Number(values.minutes);
const watchers = Number(values.watchers);
if (!(minutes > 0) || !(watchers >= 1)) {
  console.error(`--minutes and --watchers must be positive numbers\n\n${usage}`);
  process.exit(2);
}

let unhandled = 0;
process.on("unhandledRejection", (reason) => {
  unhandled++;
  console.error("unhandled rejection:", reason);
});

const row = ({ seconds, writes, events, cuts, relists, heap, differing }: ChurnReport): string =>
  [seconds, writes, events, cuts, relists, (heap / 1e6).toFixed(1), differing.length]
    .map((cell) => String(cell).padStart(10))
    .join("");

console.log(
  ["seconds", "writes", "events", "cuts", "relists", "heap MB", "differing"].map((name) => name.padStart(10)).join(""),
);
const reports = await churn({
  durationMs: minutes * 60_000,
  watchers,
  onProgress: (report) => console.log(row(report)),
});
const heaps = reports.map(({ heap }) => heap);
const early = Math.max(...heaps.slice(0, Math.ceil(heaps.length / 2)));
const late = Math.min(...heaps.slice(Math.ceil(heaps.length / 2)));
const differing = reports.flatMap((report) => report.differing);
console.log(
  `heap: at most ${(early / 1e6).toFixed(1)} MB in the first half, at least ${(late / 1e6).toFixed(1)} MB in the second`,
);
const grown = globalThis.gc !== undefined && late > early * 1.25;
if (differing.length > 0) console.error(`views that differ from a list: ${differing.join(", ")}`);
if (grown) console.error("memory grew");
if (unhandled > 0) console.error(`${unhandled} unhandled rejections`);
process.exitCode = differing.length > 0 || grown || unhandled > 0 ? 1 : 0;
