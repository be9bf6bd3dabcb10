import { available, type Bench, startInformer } from "../bench.ts";
import type { Figures, Row } from "../figures.ts";

const subjects = ["kubewright", "client-node", "bare", "client-go"] as const;

/** Measures the memory that an object uses, before and after a handler has read it. */
export async function* memory(bench: Bench): AsyncGenerator<Figures> {
  const { objects } = bench.sizes;
  const rows: Row[] = [];
  for (const subject of available(bench, subjects)) {
    await using informer = await startInformer(bench, subject, { objects });
    const empty = await informer.heap();
    await informer.send({ do: "sync" });
    const unread = await informer.heap();
    await informer.send({ do: "read" });
    const read = await informer.heap();
    const perObject = (bytes: number): number => bytes / objects / 1_024;
    rows.push({
      name: subject,
      values: [
        perObject(unread.heapBytes - empty.heapBytes),
        perObject(read.heapBytes - empty.heapBytes),
        unread.rssBytes / 2 ** 20,
        read.rssBytes / 2 ** 20,
      ],
    });
  }
  yield {
    title: `memory of ${objects.toLocaleString("en-US")} Pods`,
    columns: [
      { title: "KiB per object, unread" },
      { title: "KiB per object, read" },
      { title: "RSS MiB, unread", digits: 0 },
      { title: "RSS MiB, read", digits: 0 },
    ],
    rows,
    targets: [
      { what: "heap per object, nothing read", column: 0, against: "client-node", atMost: 0.3 },
      { what: "heap per object, nothing read", column: 0, against: "client-go", atMost: 0.5 },
      { what: "heap per object, everything read", column: 1, against: "client-node", atMost: 0.4 },
    ],
  };
}
