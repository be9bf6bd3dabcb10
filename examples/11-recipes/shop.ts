// #region kind
import { defineKind, type ObjectOf } from "kubewright";
import { Type } from "typebox";

const Condition = Type.Object({
  type: Type.String(),
  status: Type.Union([Type.Literal("True"), Type.Literal("False"), Type.Literal("Unknown")]),
  observedGeneration: Type.Optional(Type.Integer()),
  lastTransitionTime: Type.String(),
  reason: Type.String(),
  message: Type.String(),
});

export const Shop = defineKind({
  group: "recipes.example.com",
  version: "v1",
  kind: "Shop",
  scope: "Namespaced",
  spec: Type.Object({ host: Type.String(), settings: Type.String() }),
  status: Type.Object({ conditions: Type.Optional(Type.Array(Condition)) }),
  columns: [{ name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' }],
});
export type Shop = ObjectOf<typeof Shop>;
// #endregion kind
