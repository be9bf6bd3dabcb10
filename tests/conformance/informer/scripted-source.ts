import type { KubeObject, ListMeta } from "@kubewright/apimachinery";
import { EventChannel } from "@kubewright/cache/testing";
import type { ListerWatcher, ListPage, ListRequest, SourceEvent, WatchRequest } from "@kubewright/cache/tools";
import type { Pod } from "./pods.ts";

/** A step of one list or watch: returns an answer, or throws. */
type ListStep<O> = (request: ListRequest) => ListPage<O>;
type WatchStep<O> = (channel: EventChannel<SourceEvent<O>>, request: WatchRequest) => void;

/** A source that follows a script; the last step of each kind is repeated. Records requests. */
export class ScriptedSource<O extends KubeObject = Pod> implements ListerWatcher<O> {
  readonly supportsWatchList: boolean;
  readonly lists: Omit<ListRequest, "signal">[] = [];
  readonly watches: Omit<WatchRequest, "signal">[] = [];
  readonly channels: EventChannel<SourceEvent<O>>[] = [];
  readonly #lists: ListStep<O>[];
  readonly #watches: WatchStep<O>[];

  constructor(steps: { lists?: ListStep<O>[]; watches?: WatchStep<O>[]; supportsWatchList?: boolean }) {
    this.#lists = [...(steps.lists ?? [() => page([], "10")])];
    this.#watches = [...(steps.watches ?? [() => {}])];
    this.supportsWatchList = steps.supportsWatchList ?? false;
  }

  get listVersions(): (string | undefined)[] {
    return this.lists.map(({ resourceVersion }) => resourceVersion);
  }

  async list({ signal: _, ...request }: ListRequest): Promise<ListPage<O>> {
    this.lists.push(request);
    const step = this.#lists.length > 1 ? this.#lists.shift() : this.#lists[0];
    return step ? step(request) : page([], "10");
  }

  watch({ signal, ...request }: WatchRequest): AsyncIterable<SourceEvent<O>> {
    this.watches.push(request);
    const channel = new EventChannel<SourceEvent<O>>(signal);
    this.channels.push(channel);
    const step = this.#watches.length > 1 ? this.#watches.shift() : this.#watches[0];
    step?.(channel, request);
    return channel;
  }
}

export const page = <O>(items: readonly O[], resourceVersion: string, rest: ListMeta = {}): ListPage<O> => ({
  items,
  metadata: { resourceVersion, ...rest },
});

export function bookmark(version: number, annotations?: Record<string, string>): SourceEvent<never> {
  const metadata = { resourceVersion: String(version), ...(annotations ? { annotations } : {}) };
  return { type: "BOOKMARK", object: { apiVersion: "v1", kind: "Pod", metadata } };
}

export const initialEventsEnd = (version: number): SourceEvent<never> =>
  bookmark(version, { "k8s.io/initial-events-end": "true" });

export const throwing = (error: unknown) => (): never => {
  throw error;
};

export const failing =
  (error: unknown) =>
  (channel: { fail(error: unknown): void }): void =>
    channel.fail(error);

export const connectionRefused = (): Error =>
  Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
