export type { FieldManager, FieldManagerOptions } from "./field-manager.ts";
export { withPrintedStructs } from "./printed-structs.ts";
export type { FieldManagerType } from "./typed-field-manager.ts";
export { changesOnlyTimes, createFieldManager } from "./typed-field-manager.ts";
