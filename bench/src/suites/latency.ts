import { available, type Bench, feed, startInformer } from "../bench.ts";
import { type Figures, medianRow } from "../figures.ts";

const subjects = ["kubewright", "client-node", "bare", "client-go"] as const;
const perSecond = 1_000;

/** Measures the time from the moment at which the server writes an event until a handler receives it. */
export async function* latency(bench: Bench): AsyncGenerator<Figures> {
  const { latencyEvents: events, objects } = bench.sizes;
  const rows = [];
  for (const subject of available(bench, subjects)) {
    const takes: number[][] = [];
    for (let round = 0; round < bench.sizes.rounds; round++) {
      await using informer = await startInformer(bench, subject, { objects });
      await informer.send({ do: "sync" });
      await informer.send({ do: "expect", events, latency: true });
      await feed(bench, "pods", "change", events, perSecond);
      const { cpuMicros, latencyP50Ms } = await informer.measure({ do: "await" });
      takes.push([latencyP50Ms ?? Number.NaN, cpuMicros / events]);
    }
    rows.push(medianRow(subject, takes));
  }
  yield {
    title: `${perSecond.toLocaleString("en-US")} events a second`,
    columns: [{ title: "latency p50 ms", digits: 3 }, { title: "CPU us per event" }],
    rows,
    targets: [{ what: "latency p50", column: 0, against: "bare", atMost: 1.2 }],
  };
}
