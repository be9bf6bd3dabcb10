import type { Referable } from "@kubewright/recorder";
import { EventReporter } from "../reporting/event-reporter.ts";

/** Returns an event reporter and its Events, each as the object's kind and name, the reason and the note. */
export function recordedEvents() {
  const events: { readonly about: string; readonly reason: string; readonly note: string; readonly type: string }[] =
    [];
  const reporter = new EventReporter({
    event: ({ kind, metadata: { name } }: Referable, { reason, note, type = "Normal" }) =>
      void events.push({ about: `${kind} ${name}`, reason, note, type }),
  });
  /** Returns the reasons of the Events since the last call, in order. */
  const reasons = (): string[] => events.splice(0).map(({ about, reason }) => `${about}: ${reason}`);
  return { reporter, events, reasons };
}
