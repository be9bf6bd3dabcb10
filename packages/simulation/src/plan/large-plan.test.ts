import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { defineKind } from "@kubewright/apimachinery";
import { Client, Connection } from "@kubewright/client";
import { ApiServer } from "@kubewright/kube-apiserver";
import { Type } from "typebox";
import { expect, it } from "vitest";
import { plan } from "./index.ts";

/** `KUBEWRIGHT_PLAN_OBJECTS=5000` plans 5,000 objects, and prints the time. */
const count = Number(process.env.KUBEWRIGHT_PLAN_OBJECTS ?? 200);
const numbers = Array.from({ length: 20 }, (_, number) => number);
const group = "large.example.com";

it(`plans ${count} objects of 20 kinds`, { timeout: 60_000 + count * 60 }, async () => {
  const folder = mkdtempSync(join(import.meta.dirname, "../../.planned-"));
  const kinds = numbers.map((number) =>
    defineKind({
      ...{ group, version: "v1", kind: `Kind${number}`, scope: "Namespaced" },
      spec: Type.Object({ text: Type.String() }),
      status: Type.Object({ seen: Type.Optional(Type.String()) }),
    }),
  );
  const path = join(folder, "program.ts");
  writeFileSync(
    path,
    `import { asReconciler } from "@kubewright/controller";
import { controllerManagedBy } from "@kubewright/builder";
import { unstructured } from "@kubewright/apimachinery";
export function setup(manager) {
  for (let number = 0; number < 20; number++) {
    const Kind = unstructured({ apiVersion: "${group}/v1", kind: "Kind" + number });
    controllerManagedBy(manager).for(Kind).complete(asReconciler(Kind, async (object, { client }) => {
      if (object.spec.text === "change") await client.patch(Kind, object, { spec: { text: "changed" } });
    }));
  }
}
`,
  );
  try {
    await using live = await ApiServer.start({ listen: false, crds: kinds.map(({ crd }) => crd) });
    const client = new Client({ connection: new Connection(live.connection()), fieldOwner: "test" });
    for (let index = 0; index < count; index++) {
      const kind = kinds[index % kinds.length];
      const spec = { text: index % 10 === 0 ? "change" : "keep" };
      if (kind) await client.create(kind, { metadata: { namespace: "default", name: `object-${index}` }, spec });
    }
    const beganMs = performance.now();
    const report = await plan(pathToFileURL(path), {
      connection: client.connection,
      signal: new AbortController().signal,
    });
    const seconds = ((performance.now() - beganMs) / 1_000).toFixed(1);
    if (process.env.KUBEWRIGHT_PLAN_OBJECTS !== undefined) console.log(`planned ${count} objects in ${seconds} s`);
    expect(report).toMatchObject({ unknown: [], unchanged: count - count / 10 });
    expect(report.changes).toHaveLength(count / 10);
    await client.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
