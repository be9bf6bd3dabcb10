export { FakeClock } from "@kubewright/clock/testing";
export { type OperatorEnvironment, type OperatorOptions, operator, type RunningOperator } from "./operator/operator.ts";
