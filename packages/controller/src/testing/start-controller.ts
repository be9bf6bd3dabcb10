import { FakeClock } from "@kubewright/clock/testing";
import { Controller } from "../controller.ts";
import type { ControllerOptions } from "../controller-options.ts";
import { funcSource, type SourceContext } from "../source.ts";
import { fakeClient } from "./fake-client.ts";

/** Starts a controller whose queue the test fills. */
export const startController = (options: Partial<ControllerOptions> = {}, clock: FakeClock = new FakeClock()) => {
  const stop = new AbortController();
  const calls: string[] = [];
  let feed: SourceContext["queue"] | undefined;
  const controller = new Controller({
    name: "test",
    client: fakeClient(),
    sources: [
      funcSource(({ queue }) => {
        feed = queue;
      }),
    ],
    ...options,
    clock,
    reconcile: async (request, context) => {
      calls.push(request);
      return options.reconcile?.(request, context);
    },
  });
  let outcome: unknown = "running";
  const run = controller.run(stop.signal).then(
    () => (outcome = "stopped"),
    (error: unknown) => (outcome = error),
  );
  const add: SourceContext["queue"]["add"] = (request, more) => feed?.add(request, more);
  return { clock, stop, calls, controller, run, add, outcome: () => outcome };
};
