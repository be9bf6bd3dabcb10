export { FakeClock } from "@kubewright/clock/testing";
export type { GivenRole, GivenRule } from "./operator/bind-role.ts";
export { type OperatorOptions, operator, type RunningOperator } from "./operator/operator.ts";
export { type OperatorEnvironment, type ProgramAccess, program } from "./operator/program.ts";
export type { RunningProgram } from "./operator/watched-program.ts";
