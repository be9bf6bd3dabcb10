export { CnfSimulators, type CnfSimulatorsOptions } from "./cnf-simulators.ts";
export { Demo, type DemoPlane, type DemoSettings, type EmbeddedDemoSettings } from "./demo.ts";
export { install } from "./install.ts";
export { readManifests } from "./manifests.ts";
export type { ObjectRow } from "./object-row.ts";
export { unsettled } from "./settled.ts";
export type { CnfRow, Snapshot } from "./snapshot.ts";
