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
    enable_service: Type.Boolean({
      default: false,
      description: "Whether to create a Service for the pods.",
    }),
    enable_ingress: Type.Boolean({
      default: false,
      description: "Whether to create an Ingress for the Service.",
    }),
  }),
  status: Type.Object({
    readyReplicas: Type.Optional(Type.Integer()),
    host: Type.Optional(Type.String({ description: "The external URL." })),
  }),
  columns: [
    { name: "Ready", type: "integer", jsonPath: ".status.readyReplicas" },
    { name: "Host", type: "string", jsonPath: ".status.host" },
  ],
});
export type App = ObjectOf<typeof App>;
