import type { Referable } from "@kubewright/recorder";
import { Herald } from "../tell/herald.ts";

/** A herald, and what it told: kind and name of whom it was about, the reason and the note. */
export function recordedEvents() {
  const told: { readonly about: string; readonly reason: string; readonly note: string; readonly type: string }[] = [];
  const herald = new Herald({
    event: ({ kind, metadata: { name } }: Referable, { reason, note, type = "Normal" }) =>
      void told.push({ about: `${kind} ${name}`, reason, note, type }),
  });
  /** Whom what was told of, in order, since this was last asked. */
  const reasons = (): string[] => told.splice(0).map(({ about, reason }) => `${about}: ${reason}`);
  return { herald, told, reasons };
}
