import { isRecord, ownMember } from "@kubewright/apimachinery";
import type { SampleObject } from "@kubewright/codegen";
import { onOneLine } from "../command/printable.ts";
import { valueNameOf } from "../project/code-names.ts";
import { fileNameOf } from "../project/names.ts";
import type { ImportedKind } from "./controller-text.ts";

/**
 * Returns a controller for an external kind. It does not write the status, which is owned by the kind's own controller.
 */
export function externalControllerText({ kind, name, clause, module, file }: ImportedKind): string {
  const value = valueNameOf(name); // the name of a kind may contain dashes
  // A controller is named after its kind, but another kind of the project has the same name.
  const named = file === fileNameOf(kind) ? "" : `.named("${file}")`;
  return `import { asReconciler, controllerManagedBy, type Manager } from "kubewright";
import { ${clause} } from "${module}";

const reconcile = asReconciler(${name}, async (${value}, { log }) => {
  // Create objects for each ${kind} here: client.apply(ConfigMap, …), and add .needs(ConfigMap, ["patch"]) below.
  log.info({ generation: ${value}.metadata.generation }, "reconciled");
});

export function add(manager: Manager): void {
  controllerManagedBy(manager)${named}.for(${name}).complete(reconcile);
}
`;
}

/**
 * Returns the test for a controller of an external kind. If the sample has errors, the test is skipped, and its
 * comments show what to fill in.
 *
 * @param definition path to the CRD, relative to `src/controllers`: `../external/certificates.cert-manager.io.yaml`
 */
export function externalControllerTestText(
  { kind, name, clause, module, scope, file }: ImportedKind,
  definition: string,
  { object, errors }: SampleObject,
): string {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...fields } = object;
  const metadata = scope === "Namespaced" ? { name: "example", namespace: "default" } : { name: "example" };
  const remarks = errors.map(({ field, detail }) => ({
    path: field.replace(/^<nil>$/, ""),
    text: onOneLine(detail).replaceAll("\n", ";"),
  }));
  const isComplete = errors.length === 0;
  const hint = isComplete
    ? ""
    : `// The CRD contains no example for all required fields. Correct the values with comments, then remove ".skip".\n`;
  return `import { fileURLToPath } from "node:url";
import { Environment } from "@kubewright/envtest";
import { Client, createLogger, Manager } from "kubewright";
import { expect, it, vi } from "vitest";
import { ${clause} } from "${module}";
import { add } from "./${file}.ts";

const definition = fileURLToPath(new URL("${definition}", import.meta.url));

${hint}it${isComplete ? "" : ".skip"}("reconciles a new ${kind}", async () => {
  await using env = await Environment.start({ crds: [definition] });
  await using client = new Client({ connection: env.connection() });
  let said = "";
  const logger = createLogger({ destination: { write: (line) => void (said += line) } });
  const manager = new Manager({ connection: env.connection(), metrics: { bindAddress: "0" }, logger });
  add(manager);
  const stop = new AbortController();
  const running = manager.run(stop.signal);

  await client.create(${name}, ${withRemarks({ metadata, ...fields }, remarks, "", "  ")});
  await vi.waitFor(() => expect(said).toMatch(/"name":"example".*"reconciled"/), { timeout: 15_000 });

  stop.abort();
  await running;
});
`;
}

/** A comment on the field at a path, such as `spec.rules[0]`. */
interface Remark {
  readonly path: string;
  readonly text: string;
}

/** Returns a JSON value as TypeScript, with comments in front of fields, and at the beginning of objects and lists. */
function withRemarks(value: unknown, remarks: readonly Remark[], path: string, indent: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const isRoot = path === "";
  const comments = (at: string): string[] =>
    remarks.filter((remark) => remark.path === at).map(({ text }) => `${inner}// ${text}\n`);
  const members = Object.entries(value).map(([name, member]) => {
    const at = Array.isArray(value) ? `${path}[${name}]` : isRoot ? name : `${path}.${name}`;
    const isScalar = typeof member !== "object" || member === null;
    const key = Array.isArray(value) ? "" : `${keyText(name)}: `;
    return [...(isScalar ? comments(at) : []), `${inner}${key}${withRemarks(member, remarks, at, inner)},\n`].join("");
  });
  // Comments on fields that the value does not contain are at the beginning.
  const own = remarks
    .filter((remark) => isRoot && !isIn(value, remark.path))
    .map(({ path: at, text }) => `${inner}// ${at}: ${text}\n`);
  const lines = [...(isRoot ? [] : comments(path)), ...own, ...members];
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join("")}${indent}${close}`;
}

/** Returns the name of a member of an object literal. In brackets, `__proto__` does not set the prototype. */
function keyText(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** Reports whether a value contains the field at a path. */
function isIn(value: unknown, path: string): boolean {
  let at = value;
  for (const name of path.split(/[.[\]]+/).filter(Boolean))
    at = isRecord(at) ? ownMember(at, name) : Array.isArray(at) ? at[Number(name)] : undefined;
  return path !== "" && at !== undefined;
}
