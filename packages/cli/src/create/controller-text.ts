import { exportNameOf, valueNameOf } from "../project/code-names.ts";

/** A kind as controllers and webhooks import it. */
export interface ImportedKind {
  readonly kind: string;
  /** What code calls it. */
  readonly name: string;
  /** How it is imported by that: `Site`, `Client as ClientResource`. */
  readonly clause: string;
  /** From a file of `src/controllers`: `../api/site.ts`. */
  readonly module: string;
  readonly scope: "Namespaced" | "Cluster";
  /** What the files about it are named: `site`. */
  readonly file: string;
}

/** By another name than its module's where that would hide what is used beside it. */
export function importedAs(exportName: string): Pick<ImportedKind, "name" | "clause"> {
  const name = exportNameOf(exportName);
  return { name, clause: name === exportName ? name : `${exportName} as ${name}` };
}

export function controllerText({ kind, name, clause, module }: ImportedKind): string {
  const value = valueNameOf(kind);
  return `import { asReconciler, controllerManagedBy, type Manager } from "kubewright";
import { ${clause} } from "${module}";

const reconcile = asReconciler(${name}, async (${value}, { client, log }) => {
  // Make here what a ${kind} stands for: client.apply(Deployment, …), and .owns(Deployment) below.
  await client.status.patch(${name}, ${value}, { observedGeneration: ${value}.metadata.generation ?? 0 });
  log.debug({}, "reconciled");
});

export function add(manager: Manager): void {
  controllerManagedBy(manager).for(${name}).complete(reconcile);
}
`;
}

export function controllerTestText({ kind, name, clause, module, scope, file }: ImportedKind): string {
  const place = scope === "Namespaced" ? '{ name: "example", namespace: "default" }' : '{ name: "example" }';
  return `import { Environment } from "@kubewright/envtest";
import { Client, silentLogger } from "kubewright";
import { operator } from "kubewright/testing";
import { expect, it } from "vitest";
import { ${clause} } from "${module}";
import { options } from "../operator.ts";
import { add } from "./${file}.ts";

it("sees what a ${kind} says", async () => {
  await using env = await Environment.start({ crds: [${name}] });
  await using client = new Client({ connection: env.connection() });
  // Runs under the role that is generated for it: a verb that this lacks fails the test, with the remedy.
  const { fieldOwner } = options;
  await using running = await operator(env, add, { fieldOwner, metrics: { bindAddress: "0" }, logger: silentLogger });

  const metadata = ${place};
  await client.create(${name}, { metadata, spec: { message: "hello" } });
  const seen = async () => (await client.get(${name}, metadata)).status?.observedGeneration;
  await running.eventually(async () => expect(await seen()).toBe(1));
});
`;
}
