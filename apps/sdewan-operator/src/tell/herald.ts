import { type EventRecorder, type Referable, silentRecorder } from "@kubewright/recorder";

/** What users are told of their objects and CNFs, as Kubernetes Events. */
export type Happening =
  | "Applied"
  | "Refused"
  | "NameTaken"
  | "CnfUnreachable"
  | "CnfRestarted"
  | "DriftRepaired"
  | "Drifted"
  | "TunnelDown"
  | "TunnelUp";

const good: ReadonlySet<Happening> = new Set(["Applied", "TunnelUp"]);

/** What an event's note may hold. */
const mostBytes = 1_000;

/** Tells users what happened, where `kubectl describe` shows it. It never waits and never throws. */
export class Herald {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder = silentRecorder) {
    this.#recorder = recorder;
  }

  /**
   * Tells of one object.
   *
   * @param note without secrets: whatever comes from a CNF is masked before
   * @param related a second object that had a part in it
   */
  tell(regarding: Referable, reason: Happening, note: string, related?: Referable): void {
    const type = good.has(reason) ? "Normal" : "Warning";
    this.#recorder.event(regarding, { type, reason, note: cut(note), ...(related ? { related } : {}) });
  }
}

/** Tells nobody. */
export const silentHerald: Herald = new Herald();

function cut(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= mostBytes) return note;
  const whole = bytes
    .subarray(0, mostBytes)
    .toString("utf8")
    .replace(/\uFFFD+$/u, "");
  return `${whole}...`;
}
