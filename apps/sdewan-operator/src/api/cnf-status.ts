import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { type Static, Type } from "typebox";
import { conditionFields } from "./conditions.ts";
import { group, version } from "./group.ts";
import { described } from "./values.ts";

const information = Type.Object(
  {
    name: Type.String({ description: "The name of the pod." }),
    namespace: Type.Optional(described(Type.String(), "The namespace of the pod.")),
    node: Type.Optional(described(Type.String(), "The node that the pod runs on.")),
    purpose: Type.Optional(described(Type.String(), "The purpose of its CNF.")),
    ip: Type.Optional(described(Type.String(), "The address of the pod.")),
    status: Type.Optional(
      Type.String({
        description: "A JSON list of the CNF's modules, each with its name and status, or Not Available.",
      }),
    ),
    outOfOrder: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "The collections with objects that someone moved, such as firewall/v1/rules. Absent if there are none.",
      }),
    ),
  },
  { description: "One pod of a CNF." },
);
export type CnfInformation = Static<typeof information>;

const status = Type.Partial(
  Type.Object({
    appliedGeneration: described(Type.Integer({ format: "int64" }), "The generation of this object."),
    appliedTime: Type.String({
      format: "date-time",
      description: "The time at which the operator last queried the CNFs.",
    }),
    information: described(Type.Array(information), "One entry for each pod."),
    ...conditionFields,
  }),
  { description: "The last reported status of all CNFs." },
);

/**
 * The last known status of all CNFs. The operator maintains a single object, `cnf-status`, in the namespace given by
 * `--status-namespace`.
 */
export const CNFStatus = defineKind({
  group,
  version,
  scope: "Namespaced",
  kind: "CNFStatus",
  description: "The status of all CNFs. The operator maintains the object cnf-status and ignores any other.",
  spec: Type.Object({}),
  specRequired: false,
  status,
  columns: [
    { name: "Updated", type: "date", jsonPath: ".status.appliedTime" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});
export type CNFStatus = ObjectOf<typeof CNFStatus>;
