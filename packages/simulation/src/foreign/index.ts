export type { Remembers } from "../world/normalise.ts";
export { type ForeignProgram, isProgramStartError, ProgramStartError } from "./foreign-world.ts";
export { type ProgramSimulationOptions, type ProgramSimulationReport, simulateProgram } from "./simulate-program.ts";
