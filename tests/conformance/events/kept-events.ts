import { alreadyExists, applyMergePatch, notFound } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import type { CoreEvent, EventSink, EventsV1Event } from "@kubewright/recorder";
import { EventBroadcaster, type EventBroadcasterOptions } from "@kubewright/recorder";
import { recordingLogger } from "../informer/recording-logger.ts";

export type KeptEvent = Partial<CoreEvent> & Partial<EventsV1Event>;
export interface SinkCall {
  readonly verb: "create" | "patch";
  readonly name: string;
  readonly at: number;
  readonly body: KeptEvent;
}

const events = { group: "events.k8s.io", resource: "events" };
const copyOf = (value: unknown): KeptEvent => JSON.parse(JSON.stringify(value)) as KeptEvent;

/** Stores events like a server. */
export class KeptEvents implements EventSink {
  readonly calls: SinkCall[] = [];
  readonly stored = new Map<string, KeptEvent>();
  readonly #clock: FakeClock;
  /** Called before each call completes: returns an error, or a promise to wait for. */
  fail: (call: SinkCall) => Error | Promise<void> | undefined = () => undefined;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  create: EventSink["create"] = async (_kind, object) => {
    const body = copyOf(object);
    const name = body.metadata?.name ?? "";
    await this.#call("create", name, body);
    if (this.stored.has(name)) throw alreadyExists(events, name);
    this.stored.set(name, body);
    return object as never;
  };

  patch: EventSink["patch"] = async (_kind, target, patch) => {
    const name = typeof target === "object" && "name" in target ? target.name : "";
    await this.#call("patch", name, copyOf(patch));
    const present = this.stored.get(name);
    if (!present) throw notFound(events, name);
    this.stored.set(name, applyMergePatch(present, copyOf(patch)) as KeptEvent);
    return patch as never;
  };

  get verbs(): string[] {
    return this.calls.map(({ verb }) => verb);
  }

  get all(): KeptEvent[] {
    return [...this.stored.values()];
  }

  async #call(verb: SinkCall["verb"], name: string, body: KeptEvent): Promise<void> {
    const call = { verb, name, body, at: this.#clock.monotonic() };
    this.calls.push(call);
    const trouble = this.fail(call);
    if (trouble instanceof Error) throw trouble;
    await trouble;
  }
}

export const pod = (name = "web-0") => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", uid: `uid-${name}` },
});
export const node = (name = "n1") => ({ apiVersion: "v1", kind: "Node", metadata: { name } });
export const referenceTo = ({ apiVersion, kind, metadata }: ReturnType<typeof pod>) => ({
  apiVersion,
  kind,
  ...metadata,
});

/** Returns a broadcaster with a recorder of `shopkeeper` on a sink, and the logged lines. */
export function broadcasting(
  api: "events.k8s.io/v1" | "v1",
  options: Partial<EventBroadcasterOptions> & { readonly clock?: FakeClock; readonly keptIn?: KeptEvents } = {},
) {
  const clock = options.clock ?? new FakeClock();
  const sink = options.keptIn ?? new KeptEvents(clock);
  const { logger, lines } = recordingLogger();
  const broadcaster = new EventBroadcaster({ sink, api, host: "node-1", logger, ...options, clock });
  return { clock, sink, lines, broadcaster, recorder: broadcaster.recorder("shopkeeper") };
}
