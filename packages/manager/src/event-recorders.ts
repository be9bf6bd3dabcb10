import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { EventBroadcaster, type EventRecorder, type EventSink } from "@kubewright/recorder";

/** API for events: see `EventBroadcasterOptions.api`. */
export type EventsApi = "events.k8s.io/v1" | "v1";

/** Recorders of both APIs. Nothing is started before the first event. */
export class EventRecorders {
  readonly #broadcasters: Readonly<Record<EventsApi, EventBroadcaster>>;
  readonly #usual: EventsApi;

  constructor(
    sink: EventSink,
    options: { readonly clock: Clock; readonly logger: Logger; readonly api?: EventsApi | undefined },
  ) {
    const { api = "events.k8s.io/v1", ...others } = options;
    const broadcaster = (of: EventsApi): EventBroadcaster => new EventBroadcaster({ sink, ...others, api: of });
    this.#broadcasters = { "events.k8s.io/v1": broadcaster("events.k8s.io/v1"), v1: broadcaster("v1") };
    this.#usual = api;
  }

  /** Returns a recorder that writes events in the name of `controller`. */
  recorder(controller: string, api: EventsApi = this.#usual): EventRecorder {
    return this.#broadcasters[api].recorder(controller);
  }

  /** Tries once more to write pending events, for at most this time, and ends. */
  async stop(timeoutMs?: number): Promise<void> {
    await Promise.all(Object.values(this.#broadcasters).map((broadcaster) => broadcaster.stop(timeoutMs)));
  }
}
