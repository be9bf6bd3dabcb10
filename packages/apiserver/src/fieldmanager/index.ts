export type { FieldManager, FieldManagerOptions } from "./field-manager.ts";
export { withPrintedStructs } from "./printed-structs.ts";
export type { FieldManagerType } from "./typed-field-manager.ts";
export { createFieldManager } from "./typed-field-manager.ts";
