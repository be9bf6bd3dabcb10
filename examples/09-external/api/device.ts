import { defineKind, type ObjectOf } from "kubewright";
import { Type } from "typebox";

const condition = Type.Object({
  type: Type.String(),
  status: Type.Enum(["True", "False", "Unknown"]),
  reason: Type.String(),
  message: Type.String(),
  lastTransitionTime: Type.String({ format: "date-time" }),
});

export const Device = defineKind({
  group: "things.example.com",
  version: "v1",
  kind: "Device",
  scope: "Namespaced",
  spec: Type.Object({ profile: Type.String({ minLength: 1, description: "The ConfigMap that has its settings." }) }),
  status: Type.Object({ conditions: Type.Optional(Type.Array(condition)) }),
  columns: [{ name: "Online", type: "string", jsonPath: ".status.conditions[?(@.type=='Online')].status" }],
});
export type Device = ObjectOf<typeof Device>;
