export type { ClusterObject } from "./cluster/cluster-object.ts";
export type { FaultClass } from "./schedule/schedule.ts";
export { isSimulationError, SimulationError, type SimulationReport, simulate } from "./simulate.ts";
export type { UserKind } from "./users/user-kind.ts";
export type { UserValues } from "./users/user-objects.ts";
export type {
  CheckName,
  OutsideWorld,
  SimulatedCluster,
  SimulatedRole,
  SimulatedWrite,
  SimulationOptions,
} from "./world/simulation-options.ts";
