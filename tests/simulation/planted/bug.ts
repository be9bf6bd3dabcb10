import type { CheckName, FaultClass } from "@kubewright/simulation";
import type { Manager, ManagerOptions } from "kubewright";

/** A mistake that authors of controllers make. */
export interface PlantedBug {
  readonly mistake: string;
  /** Class of faults that makes the bug visible; `users` if it is visible without faults. */
  readonly fault: FaultClass | "users";
  /** Checks of which at least one must notice the bug. All others are switched off. */
  readonly checks: readonly CheckName[];
  readonly options?: ManagerOptions;
  /** True to give the program its generated roles. Default: all permissions. */
  readonly hasRole?: boolean;
  readonly setup: (manager: Manager) => void;
}
