import { exportNameOf, valueNameOf } from "../project/code-names.ts";

/** The names and paths with which controllers and webhooks import a kind. */
export interface ImportedKind {
  readonly kind: string;
  /** Name of the kind in code. */
  readonly name: string;
  /** Import clause for that name, such as `Site` or `Client as ClientResource`. */
  readonly clause: string;
  /** Path to the module, relative to `src/controllers`, such as `../api/site.ts`. */
  readonly module: string;
  readonly scope: "Namespaced" | "Cluster";
  /** Base name of the files for the kind, such as `site`. */
  readonly file: string;
}

/** Chooses an import name that does not shadow another name in the file. */
export function importedAs(exportName: string): Pick<ImportedKind, "name" | "clause"> {
  const name = exportNameOf(exportName);
  return { name, clause: name === exportName ? name : `${exportName} as ${name}` };
}

export function controllerText({ kind, name, clause, module }: ImportedKind): string {
  const value = valueNameOf(kind);
  return `import { asReconciler, controllerManagedBy, type Manager, rfc3339, setCondition } from "kubewright";
import { ${clause} } from "${module}";

export function add(manager: Manager): void {
  const reconcile = asReconciler(${name}, async (${value}, { client, clock, log }) => {
    // Create a ${kind}'s objects here with client.apply(Deployment, …).
    // Add .owns(Deployment) below, so that changes of these objects are reconciled, too.
    const observedGeneration = ${value}.metadata.generation ?? 0;
    const conditions = [...(${value}.status?.conditions ?? [])];
    const reason = { reason: "Reconciled", message: "", observedGeneration };
    const now = rfc3339(clock.now());
    if (setCondition(conditions, { type: "Ready", status: "True", ...reason }, now))
      await client.status.patch(${name}, ${value}, { observedGeneration, conditions });
    log.debug({}, "reconciled");
  });
  controllerManagedBy(manager).for(${name}).complete(reconcile);
}
`;
}

export function controllerTestText({ kind, name, clause, module, scope, file }: ImportedKind): string {
  const place = scope === "Namespaced" ? '{ name: "example", namespace: "default" }' : '{ name: "example" }';
  return `import { Environment } from "@kubewright/envtest";
import { Client, isConditionTrue, silentLogger } from "kubewright";
import { operator } from "kubewright/testing";
import { expect, it } from "vitest";
import { ${clause} } from "${module}";
import { options } from "../operator.ts";
import { add } from "./${file}.ts";

it("reconciles a ${kind}", async () => {
  await using env = await Environment.start({ crds: [${name}] });
  await using client = new Client({ connection: env.connection() });
  // Runs with the generated role: a missing permission fails the test, with the remedy.
  await using running = await operator(env, add, {
    fieldOwner: options.fieldOwner,
    metrics: { bindAddress: "0" },
    logger: silentLogger,
  });

  const metadata = ${place};
  await client.create(${name}, { metadata, spec: { message: "hello" } });
  await running.eventually(async () => {
    const { status } = await client.get(${name}, metadata);
    expect(status?.observedGeneration).toBe(1);
    expect(isConditionTrue(status?.conditions, "Ready")).toBe(true);
  });
});
`;
}
