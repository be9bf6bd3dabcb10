import type { Referable } from "@kubewright/recorder";
import { Herald } from "../tell/herald.ts";

/** Returns a herald and its Events: kind and name of the object, the reason and the note. */
export function recordedEvents() {
  const told: { readonly about: string; readonly reason: string; readonly note: string; readonly type: string }[] = [];
  const herald = new Herald({
    event: ({ kind, metadata: { name } }: Referable, { reason, note, type = "Normal" }) =>
      void told.push({ about: `${kind} ${name}`, reason, note, type }),
  });
  /** Returns the reasons of the Events since the last call, in order. */
  const reasons = (): string[] => told.splice(0).map(({ about, reason }) => `${about}: ${reason}`);
  return { herald, told, reasons };
}
