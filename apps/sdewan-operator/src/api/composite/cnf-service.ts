import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { conditionFields } from "../conditions.ts";
import { described, plainText } from "../values.ts";
import { ageColumn, compositeKind, purposeColumn } from "./composite-kind.ts";

const status = Type.Partial(
  Type.Object({
    sip: Type.String({ description: "The address of the service to which connections go." }),
    port: Type.String({ description: "The CNF's port." }),
    dport: Type.String({ description: "The service's port." }),
    message: Type.String({ description: "Why it is not in force." }),
    ...conditionFields,
  }),
  { description: "What is made of it." },
);

/** A service of the cluster that clients reach by a port of a CNF. It becomes a CNFNAT. */
export const CNFService = defineKind({
  ...compositeKind,
  kind: "CNFService",
  description: "Leads connections to a port of the CNF to a service of the cluster.",
  spec: Type.Partial(
    Type.Object({
      fullname: described(plainText, "The service's DNS name."),
      port: described(plainText, "The CNF's port, which clients connect to. Not that of its REST API."),
      dport: described(plainText, "The service's port. Empty: the same."),
      cidr: Type.String({ description: "Not used." }),
    }),
  ),
  status,
  columns: [
    purposeColumn,
    { name: "IP", type: "string", jsonPath: ".status.sip" },
    { name: "Port", type: "string", jsonPath: ".spec.port" },
    ageColumn,
  ],
});
export type CNFService = ObjectOf<typeof CNFService>;
