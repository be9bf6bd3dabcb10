import { type Bench, feed, startInformer } from "../bench.ts";
import type { Figures, Row } from "../figures.ts";

/** Measures whether the cost is proportional to the number of objects and handlers. */
export async function* growth(bench: Bench): AsyncGenerator<Figures> {
  yield await growthWithObjects(bench);
  yield await growthWithHandlers(bench);
}

async function growthWithObjects(bench: Bench): Promise<Figures> {
  const rows: Row[] = [];
  for (const objects of bench.sizes.growth) {
    const events = Math.min(20_000, bench.sizes.events);
    await using informer = await startInformer(bench, "kubewright", { objects });
    const empty = await informer.heap();
    const { cpuMicros: syncing } = await informer.measure({ do: "sync" });
    const full = await informer.heap();
    await informer.send({ do: "expect", events, latency: false });
    await feed(bench, "pods", "change", events);
    const { cpuMicros: changing } = await informer.measure({ do: "await" });
    rows.push({
      name: `${objects.toLocaleString("en-US")} objects`,
      values: [syncing / objects, changing / events, (full.heapBytes - empty.heapBytes) / objects / 1_024],
    });
  }
  return {
    title: "growth with objects",
    columns: [{ title: "sync, CPU us per object" }, { title: "CPU us per event" }, { title: "KiB per object" }],
    rows,
  };
}

async function growthWithHandlers(bench: Bench): Promise<Figures> {
  const { objects, handlers: steps } = bench.sizes;
  const events = Math.min(20_000, bench.sizes.events);
  const rows: Row[] = [];
  for (const handlers of steps) {
    await using informer = await startInformer(bench, "kubewright", { objects, handlers });
    await informer.send({ do: "sync" });
    await informer.send({ do: "expect", events, latency: false });
    await feed(bench, "pods", "change", events);
    const { cpuMicros } = await informer.measure({ do: "await" });
    rows.push({ name: `${handlers} handlers`, values: [cpuMicros / events, cpuMicros / events / handlers] });
  }
  return {
    title: "growth with handlers",
    columns: [{ title: "CPU us per event" }, { title: "CPU us per event and handler" }],
    rows,
  };
}
