import { asString } from "../values/arguments.ts";
import { type FunctionDeclaration, global } from "../values/declarations.ts";

/** Functions for JSON patch paths, available only in mutating policies. @see apiserver pkg/cel/library/jsonpatch.go */
export const jsonPatch: readonly FunctionDeclaration[] = [
  global("jsonpatch.escapeKey", "string_jsonpatch_escapeKey_string", "string -> string", (key) =>
    asString(key).replace(/[~/]/g, (char) => (char === "/" ? "~1" : "~0")),
  ),
];
