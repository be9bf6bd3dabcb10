// #region kind
import { cel, defineKind, type ObjectOf, withRules } from "kubewright";
import { Type } from "typebox";

const Units = Type.Object({
  low: Type.Integer({ minimum: 1, default: 1 }),
  high: Type.Integer({ maximum: 48, description: "The topmost unit in use." }),
});

export const Rack = defineKind({
  group: "recipes.example.com",
  version: "v1",
  kind: "Rack",
  scope: "Cluster",
  shortNames: ["rk"],
  spec: Type.Object({
    row: Type.String({ pattern: "^[A-Z]$" }),
    power: Type.Enum(["single", "double"], { default: "single" }),
    units: withRules(Units, [
      cel("self.low <= self.high", "low must not exceed high"),
    ]),
  }),
  rules: {
    spec: [
      cel("self.row == oldSelf.row", {
        message: "is immutable",
        fieldPath: ".row",
      }),
    ],
  },
  selectableFields: [".spec.row"],
  columns: [
    { name: "Row", type: "string", jsonPath: ".spec.row" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});
export type Rack = ObjectOf<typeof Rack>;
// #endregion kind
