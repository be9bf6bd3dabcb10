import { defineKind, type ObjectOf } from "kubewright";
import { Type } from "typebox";

export const App = defineKind({
  group: "ingress.example.com",
  version: "v1beta1",
  kind: "App",
  scope: "Namespaced",
  spec: Type.Object({
    image: Type.String({ minLength: 1, maxLength: 500 }),
    replicas: Type.Integer({ minimum: 0, default: 1 }),
    enable_service: Type.Boolean({ default: false, description: "A Service in front of the pods." }),
    enable_ingress: Type.Boolean({ default: false, description: "An Ingress in front of the Service." }),
  }),
  status: Type.Object({
    readyReplicas: Type.Optional(Type.Integer()),
    host: Type.Optional(Type.String({ description: "Where it is found from outside." })),
  }),
  columns: [
    { name: "Ready", type: "integer", jsonPath: ".status.readyReplicas" },
    { name: "Host", type: "string", jsonPath: ".status.host" },
  ],
});
export type App = ObjectOf<typeof App>;
