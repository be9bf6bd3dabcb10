import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { FakeClock } from "@kubewright/clock/testing";
import { DelayingQueue, PriorityQueue, Queue } from "@kubewright/workqueue";
import { BareQueue } from "../bare-queue.ts";
import type { Bench } from "../bench.ts";
import type { Figures, Row } from "../figures.ts";
import { measure } from "../measure.ts";
import { queueLoads, queueSubjects } from "../workqueue.ts";

/** Measures work queues: their speed compared with a set and an array, and the growth of their cost with their length. */
export async function* queues(bench: Bench): AsyncGenerator<Figures> {
  const { queueItems, rounds } = bench.sizes;
  for (const load of queueLoads) {
    const [bare, ours] = await measure(queueSubjects(load, queueItems), rounds);
    if (!bare || !ours) throw new Error("exactly two queues must be measured");
    yield {
      title: `work queue, ${queueItems.toLocaleString("en-US")} adds, ${load}`,
      columns: [{ title: "operations per CPU second", digits: 0 }],
      rows: [ours, bare].map(({ name, operationsPerCpuSecond }) => ({ name, values: [operationsPerCpuSecond] })),
      targets: [{ what: "operations per CPU second", column: 0, against: bare.name, atLeast: 0.8 }],
    };
  }
  yield queuedBytes(queueItems);
  yield await queueGrowth(bench.sizes.queueGrowth);
}

const itemsOf = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `default/object-${i}`);

function queuedBytes(count: number): Figures {
  const items = itemsOf(count);
  const bytesOf = (queue: { add(item: string): void; tryGet(): string | undefined }): number => {
    const before = collected();
    for (const item of items) queue.add(item);
    const bytes = (collected() - before) / count;
    queue.tryGet();
    return bytes;
  };
  return {
    title: `a queued item, ${count.toLocaleString("en-US")} of them`,
    columns: [{ title: "bytes" }],
    rows: [
      { name: "Queue", values: [bytesOf(new Queue<string>())] },
      { name: "a set and an array", values: [bytesOf(new BareQueue())] },
    ],
    targets: [{ what: "bytes per queued item", column: 0, against: "a set and an array", atMost: 2.5 }],
  };
}

async function queueGrowth(counts: readonly number[]): Promise<Figures> {
  const rows: Row[] = [];
  for (const count of counts) {
    const items = itemsOf(count);
    // A few items are processed before the CPU reaches its full speed.
    const times = Math.max(1, Math.floor(leastOperations / count));
    const operations = count * times;
    const [priority, delaying] = await measure(
      [
        { name: "PriorityQueue", operations, run: () => repeatedly(times, () => throughPriorityQueue(items)) },
        { name: "DelayingQueue", operations, run: () => repeatedly(times, () => throughDelayingQueue(items)) },
      ],
      3,
    );
    const micros = [priority, delaying].map((one) => 1e6 / (one?.operationsPerCpuSecond ?? Number.NaN));
    rows.push({ name: `${count.toLocaleString("en-US")} items`, values: micros });
  }
  return {
    title: "add, get and done of queues in order",
    columns: [
      { title: "PriorityQueue, CPU us per item", digits: 2 },
      { title: "DelayingQueue, CPU us per item", digits: 2 },
    ],
    rows,
  };
}

const leastOperations = 100_000;

async function repeatedly(times: number, run: () => void | Promise<void>): Promise<void> {
  for (let time = 0; time < times; time++) await run();
}

/** Returns the items in a pseudo-random order. */
const shuffled = (index: number, below: number): number => Math.imul(index, 0x9e3779b1) % below;

function throughPriorityQueue(items: readonly string[]): void {
  const queue = new PriorityQueue<string>();
  for (const [index, item] of items.entries()) queue.addWithOptions({ priority: shuffled(index, 1_000) }, item);
  for (let item = queue.tryGet(); item !== undefined; item = queue.tryGet()) queue.done(item);
}

async function throughDelayingQueue(items: readonly string[]): Promise<void> {
  const clock = new FakeClock();
  const queue = new DelayingQueue<string>({ clock });
  for (const [index, item] of items.entries()) queue.addAfter(item, 1 + Math.abs(shuffled(index, 10_000)));
  await clock.advance(10_001);
  let taken = 0;
  for (let item = queue.tryGet(); item !== undefined; item = queue.tryGet(), taken++) queue.done(item);
  if (taken !== items.length) throw new Error(`${taken} of ${items.length} items came out`);
}

/** Returns the size of the heap in bytes after a garbage collection. Works with or without `--expose-gc`. */
function collected(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
