import { defineKind, type ObjectOf } from "kubewright";
import { Type } from "typebox";

const step = Type.Object({
  name: Type.String({ pattern: "^[a-z]([-a-z0-9]*[a-z0-9])?$", maxLength: 20 }),
  image: Type.String({ minLength: 1, maxLength: 500 }),
  replicas: Type.Integer({ minimum: 0, default: 1 }),
  port: Type.Integer({ minimum: 1, maximum: 65_535, default: 8080 }),
});

export const Pipeline = defineKind({
  group: "distri-infer.ndsl.cn",
  version: "v1beta1",
  kind: "Pipeline",
  scope: "Cluster",
  spec: Type.Object({
    namespace: Type.String({
      default: "default",
      description: "The namespace of the steps.",
    }),
    volume: Type.Object({
      hostPath: Type.String({
        pattern: "^/",
        description: "The path that all steps see as /data.",
      }),
      storage: Type.String({ default: "1Gi" }),
    }),
    steps: Type.Array(step, {
      minItems: 1,
      maxItems: 20,
      description:
        "The steps in order. Each knows the address of the next one.",
    }),
  }),
  status: Type.Object({
    phase: Type.Optional(Type.Enum(["Pending", "Starting", "Running"])),
    ready: Type.Optional(
      Type.String({
        description: "Number of ready steps, and of all steps: 1/2",
      }),
    ),
  }),
  columns: [
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Ready", type: "string", jsonPath: ".status.ready" },
  ],
});
export type Pipeline = ObjectOf<typeof Pipeline>;
export type Step = Pipeline["spec"]["steps"][number];
