import { Conditions, defineKind, type ObjectOf } from "kubewright";
import { Type } from "typebox";

export const Device = defineKind({
  group: "things.example.com",
  version: "v1",
  kind: "Device",
  scope: "Namespaced",
  spec: Type.Object({
    profile: Type.String({
      minLength: 1,
      description: "The ConfigMap with the settings of the device.",
    }),
  }),
  status: Type.Object({ conditions: Type.Optional(Conditions) }),
  columns: [
    {
      name: "Online",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Online')].status",
    },
  ],
});
export type Device = ObjectOf<typeof Device>;
