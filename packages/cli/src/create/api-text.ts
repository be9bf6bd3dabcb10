import type { KindRequest } from "./kind-request.ts";

/** A definition to start from. */
export function apiText({ group, version, kind, plural, shortNames, scope, exportName }: KindRequest): string {
  const names = shortNames.length > 0 ? `\n  shortNames: ${JSON.stringify(shortNames).replaceAll(",", ", ")},` : "";
  return `import { defineKind, type ObjectOf } from "kubewright";
import { Type } from "typebox";

export const ${exportName} = defineKind({
  group: "${group}",
  version: "${version}",
  kind: "${kind}",
  plural: "${plural}",${names}
  scope: "${scope}",
  spec: Type.Object({
    message: Type.String({ description: "What it says", default: "hello" }),
  }),
  status: Type.Object({
    observedGeneration: Type.Optional(Type.Integer({ description: "Which generation of spec was seen last" })),
  }),
  columns: [{ name: "Message", type: "string", jsonPath: ".spec.message" }],
});
export type ${exportName} = ObjectOf<typeof ${exportName}>;
`;
}
