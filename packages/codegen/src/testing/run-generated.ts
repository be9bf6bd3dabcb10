import { stripTypeScriptTypes } from "node:module";
import * as apimachinery from "@kubewright/apimachinery";
import * as typebox from "typebox";

const modules: Readonly<Record<string, object>> = { kubewright: apimachinery, typebox };

/** Runs generated text with Node's type stripping, and returns its exports. */
export function runGenerated(text: string): Record<string, unknown> {
  const plain = stripTypeScriptTypes(text)
    .replace(/^import \{([^}]*)\} from ("[^"]*");$/gm, (_, names: string, module: string) => {
      const values = names.split(",").filter((name) => !name.trim().startsWith("type "));
      return `const {${values.join(",")}} = modules[${module}];`;
    })
    .replace(/^import type .*$/gm, "")
    .replace(/^export const (\w+)/gm, "const $1 = out.$1");
  const out: Record<string, unknown> = {};
  new Function("modules", "out", plain)(modules, out);
  return out;
}
