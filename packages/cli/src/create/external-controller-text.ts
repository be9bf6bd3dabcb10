import type { KubeObject } from "@kubewright/apimachinery";
import { valueNameOf } from "../project/code-names.ts";
import type { ImportedKind } from "./controller-text.ts";

/** Returns a controller for an external kind. It does not write the status, which belongs to the kind's own controller. */
export function externalControllerText({ kind, name, clause, module }: ImportedKind): string {
  const value = valueNameOf(name); // the name of a kind may contain dashes
  return `import { asReconciler, controllerManagedBy, type Manager } from "kubewright";
import { ${clause} } from "${module}";

const reconcile = asReconciler(${name}, async (${value}, { log }) => {
  // Create objects for each ${kind} here: client.apply(ConfigMap, …), and add .needs(ConfigMap, ["patch"]) below.
  log.info({ generation: ${value}.metadata.generation }, "reconciled");
});

export function add(manager: Manager): void {
  controllerManagedBy(manager).for(${name}).complete(reconcile);
}
`;
}

/**
 * Returns the test of a controller for an external kind.
 *
 * @param definition path of the CRD from `src/controllers`: `../external/certificates.cert-manager.io.yaml`
 */
export function externalControllerTestText(
  { kind, name, clause, module, scope, file }: ImportedKind,
  definition: string,
  sample: KubeObject,
): string {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...fields } = sample;
  const metadata = scope === "Namespaced" ? { name: "example", namespace: "default" } : { name: "example" };
  const object = JSON.stringify({ metadata, ...fields }, undefined, 2).replaceAll("\n", "\n  ");
  return `import { fileURLToPath } from "node:url";
import { Environment } from "@kubewright/envtest";
import { Client, createLogger, Manager } from "kubewright";
import { expect, it, vi } from "vitest";
import { ${clause} } from "${module}";
import { add } from "./${file}.ts";

const definition = fileURLToPath(new URL("${definition}", import.meta.url));

it("reconciles a new ${kind}", async () => {
  await using env = await Environment.start({ crds: [definition] });
  await using client = new Client({ connection: env.connection() });
  let said = "";
  const logger = createLogger({ destination: { write: (line) => void (said += line) } });
  const manager = new Manager({ connection: env.connection(), metrics: { bindAddress: "0" }, logger });
  add(manager);
  const stop = new AbortController();
  const running = manager.run(stop.signal);

  await client.create(${name}, ${object});
  await vi.waitFor(() => expect(said).toMatch(/"name":"example".*"reconciled"/), { timeout: 15_000 });

  stop.abort();
  await running;
});
`;
}
