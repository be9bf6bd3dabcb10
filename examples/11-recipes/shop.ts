// #region kind
import { Conditions, cel, defineKind, type ObjectOf } from "kubewright";
import { Type } from "typebox";

export const Shop = defineKind({
  group: "recipes.example.com",
  version: "v1",
  kind: "Shop",
  scope: "Namespaced",
  spec: Type.Object({ host: Type.String(), settings: Type.String() }),
  rules: {
    spec: [
      cel("self.host == oldSelf.host", {
        message: "is immutable",
        fieldPath: ".host",
      }),
    ],
  },
  status: Type.Object({ conditions: Type.Optional(Conditions) }),
  columns: [
    {
      name: "Ready",
      type: "string",
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
    },
  ],
});
export type Shop = ObjectOf<typeof Shop>;
// #endregion kind
