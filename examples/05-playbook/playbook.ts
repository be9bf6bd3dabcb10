import { defineKind, type ObjectOf } from "kubewright";
import { Type } from "typebox";

export const Playbook = defineKind({
  group: "plays.example.com",
  version: "v1",
  kind: "Playbook",
  scope: "Namespaced",
  spec: Type.Object({
    abstract: Type.Optional(
      Type.String({ maxLength: 1_000, description: "The plot, in one line." }),
    ),
  }),
  status: Type.Object({
    progress: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: "Percentage. At 100, the Playbook is deleted.",
      }),
    ),
  }),
  columns: [
    { name: "Progress", type: "integer", jsonPath: ".status.progress" },
    { name: "Abstract", type: "string", jsonPath: ".spec.abstract" },
  ],
});
export type Playbook = ObjectOf<typeof Playbook>;
