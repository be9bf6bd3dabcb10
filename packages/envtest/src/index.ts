export type { Crd, CrdSource } from "./crd/crd-source.ts";
export { Environment, type EnvironmentOptions } from "./environment.ts";
export type { Delay, Failure, Faults, RequestMatch, RequestVerb } from "./faults.ts";
export { isNotSupportedByTestBed, NotSupportedByTestBed } from "./not-supported.ts";
export type { TestConnection, TestUser } from "./test-bed.ts";
