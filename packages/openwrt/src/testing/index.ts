export type { CnfAnswer } from "./answer.ts";
export type { FaultScope } from "./faults.ts";
export type { CnfRequest } from "./request.ts";
export type { CnfRequestMatch, LoggedRequest, RequestLog, UnsafeText } from "./request-log.ts";
export type { OpenCollection } from "./resources/open-collection.ts";
export { CnfSimulator, type CnfSimulatorOptions } from "./simulator.ts";
export type { InterfaceOptions } from "./system/kernel.ts";
export type { CommandFailure } from "./system/shell.ts";
