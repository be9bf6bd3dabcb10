import { type KubeObject, keyOf } from "@kubewright/apimachinery";
import { Backoff } from "@kubewright/clock";
import { type EventHandler, lowPriority } from "../handler/event-handler.ts";
import type { ObjectEvent } from "../object-event.ts";
import type { Predicate } from "../predicate/predicate.ts";
import type { SourceContext } from "./source.ts";

const maxTries = 6;

/**
 * Takes events through predicates and a handler into the queue, one after the other. A handler that throws is asked again a few
 * times: what it reads may be about to come. After that the event is dropped with a log line, and the next one is handled.
 */
export class EventPipe<T extends KubeObject, R> {
  readonly #source: string;
  readonly #predicates: readonly Predicate<T>[];
  readonly #handler: EventHandler<T, R>;
  readonly #context: SourceContext<R>;
  readonly #signal: AbortSignal;
  /** Handling that is under way; later events wait for it. */
  #tail: Promise<void> | undefined;

  constructor(
    source: string,
    options: { readonly predicates: readonly Predicate<T>[]; readonly handler: EventHandler<T, R> },
    context: SourceContext<R>,
    signal: AbortSignal,
  ) {
    this.#source = source;
    this.#predicates = options.predicates;
    this.#handler = options.handler;
    this.#context = context;
    this.#signal = signal;
  }

  /** Resolves when the event has been handled; nothing if that is so already. */
  push(event: ObjectEvent<T>): Promise<void> | undefined {
    if (this.#signal.aborted) return undefined;
    const handling = this.#tail ? this.#tail.then(() => this.#handle(event)) : this.#handle(event);
    if (handling) this.#follow(handling);
    return handling;
  }

  /** Resolves when everything pushed so far has been handled. */
  async idle(): Promise<void> {
    while (this.#tail) await this.#tail;
  }

  #follow(work: Promise<void>): void {
    const tail: Promise<void> = work.finally(() => {
      if (this.#tail === tail) this.#tail = undefined;
    });
    this.#tail = tail;
  }

  #handle(event: ObjectEvent<T>): Promise<void> | undefined {
    try {
      if (!this.#predicates.every((predicate) => predicate(event))) return undefined;
      const handling = this.#ask(event);
      return handling instanceof Promise ? handling.catch((err) => this.#retry(event, err)) : undefined;
    } catch (err) {
      return this.#retry(event, err);
    }
  }

  #ask(event: ObjectEvent<T>): void | Promise<void> {
    const { queue, client, log } = this.#context;
    const cause = {
      source: this.#source,
      type: event.type,
      key: keyOf(event.object),
      resourceVersion: event.object.metadata.resourceVersion,
    };
    const priority = isNews(event) ? 0 : lowPriority;
    return this.#handler(event, (request, options) => queue.add(request, { priority, ...options, cause }), {
      client,
      log,
      signal: this.#signal,
    });
  }

  async #retry(event: ObjectEvent<T>, firstError: unknown): Promise<void> {
    const { clock, log } = this.#context;
    const backoff = new Backoff({ baseMs: 100, maxMs: 5_000 });
    let err = firstError;
    for (let tries = 1; tries < maxTries && !this.#signal.aborted; tries++) {
      log.debug({ err, tries, source: this.#source }, "event handler failed, trying again");
      await clock.sleep(backoff.next(), this.#signal);
      if (this.#signal.aborted) return;
      try {
        return await this.#ask(event);
      } catch (next) {
        err = next;
      }
    }
    if (!this.#signal.aborted)
      log.error({ err, source: this.#source, type: event.type, object: keyOf(event.object) }, "event handler failed");
  }
}

/** What was there at the start and what only comes again is no news. */
function isNews(event: ObjectEvent): boolean {
  if (event.type === "create") return event.isInInitialList !== true;
  return event.type !== "update" || event.object.metadata.resourceVersion !== event.old.metadata.resourceVersion;
}
