import { type EventRecorder, type Referable, silentRecorder } from "@kubewright/recorder";

/** Reasons for the Kubernetes Events about objects and CNFs. */
export type EventReason =
  | "Applied"
  | "Refused"
  | "NameTaken"
  | "CnfUnreachable"
  | "CnfRestarted"
  | "DriftRepaired"
  | "Drifted"
  | "RolledBack"
  | "Unconfirmed"
  | "OthersBetween"
  | "TunnelDown"
  | "TunnelUp"
  | "RolloutStopped"
  | "RolloutReleased"
  | "Shadowed"
  | "NotShadowed";

const normalReasons: ReadonlySet<EventReason> = new Set(["Applied", "TunnelUp", "RolloutReleased", "NotShadowed"]);

/** Maximum length of an Event's note. */
const maxBytes = 1_000;

/** Creates Events for users, shown by `kubectl describe`. Never waits and never throws. */
export class EventReporter {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder = silentRecorder) {
    this.#recorder = recorder;
  }

  /**
   * Creates an Event about one object.
   *
   * @param note text without secrets. Mask strings from a CNF first
   * @param related another object that is involved
   */
  report(regarding: Referable, reason: EventReason, note: string, related?: Referable): void {
    const type = normalReasons.has(reason) ? "Normal" : "Warning";
    this.#recorder.event(regarding, { type, reason, note: cut(note), ...(related ? { related } : {}) });
  }
}

/** A reporter that creates no Events. */
export const silentReporter: EventReporter = new EventReporter();

function cut(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= maxBytes) return note;
  const whole = bytes
    .subarray(0, maxBytes)
    .toString("utf8")
    .replace(/\uFFFD+$/u, "");
  return `${whole}...`;
}
