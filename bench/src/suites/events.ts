import { available, type Bench, feed, startInformer } from "../bench.ts";
import { type Figures, medianRow } from "../figures.ts";
import type { InformerName, Reading } from "../subjects/spec.ts";

const subjects = [
  "kubewright",
  "client-node",
  "bare",
  "bare, managedFields cut",
  "bare, bodies as text",
  "client-go",
] as const;

/** Measures the cost of a stream of changes, once for handlers that read metadata and once for handlers that read everything. */
export async function* events(bench: Bench): AsyncGenerator<Figures> {
  const { events, objects } = bench.sizes;
  for (const read of ["metadata", "everything"] as const) {
    const rows = [];
    for (const subject of available(bench, subjects)) {
      const takes = [];
      for (let round = 0; round < bench.sizes.rounds; round++) takes.push(await take(bench, subject, read));
      rows.push(medianRow(subject, takes));
    }
    yield {
      title: `${events.toLocaleString("en-US")} events on ${objects.toLocaleString("en-US")} Pods, handlers read ${read}`,
      columns: [
        { title: "events per CPU second", digits: 0 },
        { title: "CPU us per event" },
        { title: "peak RSS MiB", digits: 0 },
      ],
      rows,
      targets:
        read === "metadata"
          ? [
              { what: "events per CPU second", column: 0, against: "client-node", atLeast: 3.2 },
              { what: "events per CPU second", column: 0, against: "client-go", atLeast: 12 },
              { what: "CPU", column: 1, against: "bare, bodies as text", atMost: 1.35 },
              { what: "peak RSS", column: 2, against: "client-node", atMost: 0.3 },
              { what: "peak RSS", column: 2, against: "client-go", atMost: 1.2 },
            ]
          : [
              { what: "events per CPU second", column: 0, against: "client-node", atLeast: 1.6 },
              { what: "CPU", column: 1, against: "bare, managedFields cut", atMost: 1.1 },
            ],
    };
  }
}

async function take(bench: Bench, subject: InformerName, read: Reading): Promise<readonly number[]> {
  const { events, objects } = bench.sizes;
  await using informer = await startInformer(bench, subject, { objects, read });
  await informer.send({ do: "sync" });
  await informer.send({ do: "expect", events, latency: false });
  await feed(bench, "pods", "change", events);
  const { cpuMicros, peakRssBytes } = await informer.measure({ do: "await" });
  return [(events / cpuMicros) * 1e6, cpuMicros / events, peakRssBytes / 2 ** 20];
}
