import { isExpired } from "@kubewright/apimachinery";
import type { ListerWatcher, SourceEvent, WatchRequest } from "@kubewright/cache/tools";
import type { ConfigMap } from "@kubewright/client/kinds";
import type { PlantedBug } from "./schedule/run-schedule.ts";

type Source = ListerWatcher<ConfigMap>;

/** Loses the deletion at the beginning of a watch, as if it started one version too late. */
export function lostDelete(): PlantedBug {
  async function* watch(source: Source, request: WatchRequest): AsyncGenerator<SourceEvent<ConfigMap>> {
    let isFirst = true;
    for await (const event of eventsOf(source, request)) {
      if (!isFirst || event.type !== "DELETED") yield event;
      isFirst = false;
    }
  }
  return { source: (source) => around(source, (inner) => ({ watch: (request) => watch(inner, request) })) };
}

/** After a 410, continues the watch at the newest version without listing again. */
export function skippedRelist(): PlantedBug {
  async function* watch(source: Source, request: WatchRequest): AsyncGenerator<SourceEvent<ConfigMap>> {
    try {
      yield* eventsOf(source, request);
    } catch (error) {
      const { signal = new AbortController().signal } = request;
      if (!isExpired(error) || request.sendInitialEvents) throw error;
      const resourceVersion = await source.currentVersion?.(signal);
      yield* eventsOf(source, { ...request, resourceVersion });
    }
  }
  return { source: (source) => around(source, (inner) => ({ watch: (request) => watch(inner, request) })) };
}

/** Reports the first object twice that is added after a relist. */
export function addTwice(): PlantedBug {
  let lists = 0;
  let printed = 0;
  return {
    source: (source) =>
      around(source, (inner) => ({
        list: async (request) => {
          const page = await inner.list(request);
          if (request.limit !== 1) lists++;
          return page;
        },
      })),
    handler: (handler) => ({
      ...handler,
      added: async (object, isInInitialList) => {
        await handler.added(object, isInInitialList);
        if (lists <= 1 || printed === lists) return;
        printed = lists;
        await handler.added(object, isInInitialList);
      },
    }),
  };
}

/** Modifies a source, and also its variant that leaves bodies as text. */
function around(source: Source, change: (inner: Source) => Partial<Source>): Source {
  const { deferring } = source;
  const changed = { ...source, ...change(source) };
  return deferring ? { ...changed, deferring: (kept) => around(deferring(kept), change) } : changed;
}

async function* eventsOf(source: Source, request: WatchRequest): AsyncGenerator<SourceEvent<ConfigMap>> {
  for await (const events of source.watch(request)) yield* Array.isArray(events) ? events : [events];
}
