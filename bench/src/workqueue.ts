import { Queue } from "@kubewright/workqueue";
import { BareQueue } from "./bare-queue.ts";
import type { Subject } from "./measure.ts";

interface Queueing {
  add(item: string): void;
  tryGet(): string | undefined;
  done(item: string): void;
}

export const queueLoads = ["distinct", "duplicates", "steady"] as const;
export type QueueLoad = (typeof queueLoads)[number];

/**
 * Returns our queue and a bare queue as subjects for a load of `count` adds: `distinct` fills the queue with different items and
 * empties it, `duplicates` adds a tenth of the items ten times each, `steady` takes each item as soon as it is added.
 */
export function queueSubjects(load: QueueLoad, count: number): readonly Subject[] {
  const items = Array.from(
    { length: load === "duplicates" ? count / 10 : count },
    (_, index) => `default/object-${index}`,
  );
  const work = (queue: Queueing): void => {
    const drain = (): void => {
      for (let item = queue.tryGet(); item !== undefined; item = queue.tryGet()) queue.done(item);
    };
    for (let added = 0; added < count; added++) {
      queue.add(items[added % items.length] ?? "");
      if (load === "steady") drain();
    }
    drain();
  };
  return [
    { name: `${load}: a set and an array`, operations: count, run: () => work(new BareQueue()) },
    { name: `${load}: Queue`, operations: count, run: () => work(new Queue<string>()) },
  ];
}
