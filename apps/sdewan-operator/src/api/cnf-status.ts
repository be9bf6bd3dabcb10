import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { type Static, Type } from "typebox";
import { conditionFields } from "./conditions.ts";
import { group, version } from "./group.ts";
import { described } from "./values.ts";

const information = Type.Object(
  {
    name: Type.String({ description: "The pod." }),
    namespace: Type.Optional(described(Type.String(), "Its namespace.")),
    node: Type.Optional(described(Type.String(), "Where it runs.")),
    purpose: Type.Optional(described(Type.String(), "The purpose of its CNF.")),
    ip: Type.Optional(described(Type.String(), "Its address.")),
    status: Type.Optional(
      Type.String({ description: "Not Available, or a JSON list of the CNF's modules, each with name and status." }),
    ),
  },
  { description: "One pod of a CNF." },
);
export type CnfInformation = Static<typeof information>;

const status = Type.Partial(
  Type.Object({
    appliedGeneration: described(Type.Integer({ format: "int64" }), "The generation of this object."),
    appliedTime: Type.String({ format: "date-time", description: "When the CNFs were asked." }),
    information: described(Type.Array(information), "One entry for each pod."),
    ...conditionFields,
  }),
  { description: "What the CNFs last said." },
);

/** How all CNFs are, as the operator last saw them. It writes the one named `cnf-status`, in the namespace that it is told. */
export const CNFStatus = defineKind({
  group,
  version,
  scope: "Namespaced",
  kind: "CNFStatus",
  description: "How all CNFs are. The operator keeps one, cnf-status, and no other.",
  spec: Type.Object({}),
  specRequired: false,
  status,
  columns: [
    { name: "Updated", type: "date", jsonPath: ".status.appliedTime" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});
export type CNFStatus = ObjectOf<typeof CNFStatus>;
