export { withPrintedStructs } from "./printed-structs.ts";
export { createFieldManager } from "./typed-field-manager.ts";
