import type { Manager, ManagerOptions } from "kubewright";

/** What makes a bug visible. */
type FaultClass = "users" | "intermediate" | "stale" | "unobserved" | "api" | "time" | "neighbours" | "outside";
/** A check of a settled world. */
type Check = "quiet" | "idempotent" | "history" | "deletion" | "healing" | "fenced" | "clean";

/** A mistake that authors of controllers make. */
export interface PlantedBug {
  readonly mistake: string;
  readonly fault: FaultClass;
  /** Checks of which at least one must notice it. All others are switched off. */
  readonly checks: readonly Check[];
  readonly options?: ManagerOptions;
  readonly setup: (manager: Manager) => void;
}
