import { valueNameOf } from "../project/code-names.ts";
import type { ImportedKind } from "./controller-text.ts";

export interface WebhookParts {
  readonly defaulting: boolean;
  readonly validation: boolean;
}

export function webhookText({ kind, name, clause, module }: ImportedKind, parts: WebhookParts): string {
  const value = valueNameOf(kind);
  const check = `
function check({ spec }: { readonly spec: { readonly message: string } }): void {
  if (spec.message.length > 1_000) throw invalid("spec.message", spec.message, "must be at most 1,000 characters");
}
`;
  const calls = [
    ...(parts.defaulting
      ? [`      .default((${value}) => {\n        ${value}.spec.message = ${value}.spec.message.trim();\n      })`]
      : []),
    ...(parts.validation ? ["      .validate({ create: check, update: check })"] : []),
  ];
  return `import type { Manager } from "kubewright";
import { admission${parts.validation ? ", invalid" : ""} } from "kubewright/webhooks";
import { ${clause} } from "${module}";
${parts.validation ? check : ""}
export function add(manager: Manager): void {
  manager.webhooks.add(
    admission(${name})
${calls.join("\n")},
  );
}
`;
}

export function webhookTestText(
  { kind, name, clause, module, scope }: ImportedKind,
  file: string,
  parts: WebhookParts,
): string {
  const metadata = `{ name: "example"${scope === "Namespaced" ? ', namespace: "default"' : ""} }`;
  const starts = `  await using env = await Environment.start({ crds: [${name}] });
  await using client = new Client({ connection: env.connection() });
  await using running = await operator(env, add, {
    fieldOwner: options.fieldOwner,
    metrics: { bindAddress: "0" },
    logger: silentLogger,
    webhooks: env.webhookOptions(),
  });
  await env.serve(running.manager); // from here on, the API server calls the webhooks
`;
  const trims = `
it("trims the message of a ${kind}", async () => {
${starts}
  const spec = { message: " hello " };
  const created = await client.create(${name}, { metadata: ${metadata}, spec });
  expect(created.spec.message).toBe("hello");
});
`;
  const refuses = `
it("refuses a ${kind} with too long a message", async () => {
${starts}
  const spec = { message: "x".repeat(1_001) };
  const created = client.create(${name}, { metadata: ${metadata}, spec });
  await expect(created).rejects.toThrow("must be at most 1,000 characters");
});
`;
  return `import { Environment } from "@kubewright/envtest";
import { Client, silentLogger } from "kubewright";
import { operator } from "kubewright/testing";
import { expect, it } from "vitest";
import { ${clause} } from "${module}";
import { options } from "../operator.ts";
import { add } from "./${file}.ts";
${parts.defaulting ? trims : ""}${parts.validation ? refuses : ""}`;
}

/** Two versions of a kind, which initially have the same fields. */
export interface ConvertedKinds {
  readonly kind: string;
  readonly hub: ImportedKind;
  readonly spoke: ImportedKind;
  /** The spoke's API version, such as `shop.example.com/v1beta1`. */
  readonly spokeVersion: string;
}

export const conversionText = ({
  kind,
  hub,
  spoke,
}: ConvertedKinds): string => `import { type Manager, spoke, versions } from "kubewright";
import { conversion } from "kubewright/webhooks";
import { ${hub.clause} } from "${hub.module}";
import { ${spoke.clause} } from "${spoke.module}";

/** ${hub.name} is the stored version, which controllers use. */
export const ${kind}Versions = versions(${hub.name}, {
  spokes: [
    spoke(${spoke.name}, {
      toHub: ({ spec, status }) => ({ spec, status }),
      fromHub: ({ spec, status }) => ({ spec, status }),
    }),
  ],
});

export function add(manager: Manager): void {
  manager.webhooks.add(conversion(${kind}Versions));
}
`;

export const conversionTestText = (
  { kind, hub, spoke, spokeVersion }: ConvertedKinds,
  file: string,
): string => `import { expect, it } from "vitest";
import { ${hub.clause} } from "${hub.module}";
import { ${spoke.clause} } from "${spoke.module}";
import { ${kind}Versions } from "./${file}.ts";

it("converts to the other version and back without loss", () => {
  const metadata = { name: "example"${hub.scope === "Namespaced" ? ', namespace: "default"' : ""} };
  const stored = ${kind}Versions.parse({ metadata, spec: { message: "hello" } });
  const other = ${kind}Versions.convert(stored, ${spoke.name});
  expect(other.apiVersion).toBe("${spokeVersion}");
  expect(${kind}Versions.convert(other, ${hub.name})).toEqual(stored);
});
`;
