import { available, type Bench, startInformer } from "../bench.ts";
import { type Figures, medianRow } from "../figures.ts";

const subjects = [
  "kubewright",
  "client-node",
  "bare",
  "bare, bodies as text",
  "client-go",
  "client-go, one list",
] as const;

/** Measures the cost of the initial sync. */
export async function* sync(bench: Bench): AsyncGenerator<Figures> {
  for (const objects of bench.sizes.syncs) {
    const rows = [];
    for (const subject of available(bench, subjects)) {
      const takes: number[][] = [];
      for (let round = 0; round < bench.sizes.rounds; round++) {
        await using informer = await startInformer(bench, subject, { objects });
        await informer.heap();
        const { cpuMicros, peakRssBytes } = await informer.measure({ do: "sync" });
        takes.push([cpuMicros / 1e6, cpuMicros / objects, peakRssBytes / 2 ** 20]);
      }
      rows.push(medianRow(subject, takes));
    }
    yield {
      title: `first sync of ${objects.toLocaleString("en-US")} Pods`,
      columns: [{ title: "CPU s", digits: 2 }, { title: "CPU us per object" }, { title: "peak RSS MiB", digits: 0 }],
      rows,
      targets: [
        { what: "CPU", column: 0, against: "bare", atMost: 0.5 },
        { what: "CPU", column: 0, against: "bare, bodies as text", atMost: objects > 10_000 ? 1.5 : 1.6 },
        { what: "CPU", column: 0, against: "client-go", atMost: 0.4 },
        { what: "CPU", column: 0, against: "client-go, one list", atMost: 0.4 },
        { what: "peak RSS", column: 2, against: "client-node", atMost: objects > 10_000 ? 0.3 : 0.4 },
      ],
    };
  }
}
