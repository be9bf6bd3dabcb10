import { Client } from "@kubewright/client";
import { FakeClock } from "@kubewright/clock/testing";
import {
  Controller,
  type ControllerOptions,
  firstComeFirstServed,
  funcSource,
  type NewQueue,
  prioritizing,
  type RequestQueue,
  type SourceContext,
} from "@kubewright/controller";

/** Returns a client without a server. */
export const noServer = (): Client => new Client({ connection: { server: "http://127.0.0.1:1" } });

/** Creates a queue like a controller, and gives access to it. */
export function shownQueue(priority = true): { readonly newQueue: NewQueue; readonly queue: () => RequestQueue } {
  let made: RequestQueue | undefined;
  const newQueue: NewQueue = (options) => {
    made = (priority ? prioritizing : firstComeFirstServed)(options);
    return made;
  };
  const queue = (): RequestQueue => {
    if (!made) throw new Error("no queue has been created yet");
    return made;
  };
  return { newQueue, queue };
}

/** Runs a controller that tests feed directly, unless it has sources. */
export function runningController(options: Partial<ControllerOptions> = {}) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const shown = shownQueue(options.priority);
  let feed: SourceContext["queue"] | undefined;
  const calls: string[] = [];
  const byHand = funcSource(({ queue }) => {
    feed = queue;
  });
  const controller = new Controller({
    name: "test",
    client: noServer(),
    sources: [byHand],
    newQueue: shown.newQueue,
    ...options,
    clock,
    reconcile: (request, context) => {
      calls.push(request);
      return options.reconcile?.(request, context);
    },
  });
  let outcome: unknown = "running";
  const ended = controller.run(stop.signal).then(
    () => (outcome = "stopped"),
    (error: unknown) => (outcome = error),
  );
  const end = async (): Promise<void> => {
    stop.abort();
    await ended;
  };
  const add: SourceContext["queue"]["add"] = (request, more) => feed?.add(request, more);
  return { clock, stop, controller, calls, add, ended, end, outcome: () => outcome, queue: shown.queue };
}
