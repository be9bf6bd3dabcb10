import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { conditionFields } from "../conditions.ts";
import { effectiveColumn } from "../rule-kind.ts";
import { described, plainText } from "../values.ts";
import { ageColumn, compositeKind, purposeColumn } from "./composite-kind.ts";

const status = Type.Partial(
  Type.Object({
    sip: Type.String({ description: "The address of the service that connections are forwarded to." }),
    port: Type.String({ description: "The port of the CNF." }),
    dport: Type.String({ description: "The port of the service." }),
    message: Type.String({ description: "The reason why the service is not in force." }),
    ...conditionFields,
  }),
  { description: "The values that the child was created from." },
);

/**
 * A service in the cluster that clients reach through a port on a CNF. The operator creates a CNFNAT for the service.
 */
export const CNFService = defineKind({
  ...compositeKind,
  kind: "CNFService",
  description: "Forwards connections from a port of the CNF to a service of the cluster.",
  spec: Type.Partial(
    Type.Object({
      fullname: described(plainText, "The DNS name of the service."),
      port: described(
        plainText,
        "The port of the CNF that clients connect to. It must not be the port of the CNF's REST API.",
      ),
      dport: described(plainText, "The port of the service. Default: the port of the CNF."),
      cidr: Type.String({ description: "Not used." }),
    }),
  ),
  status,
  columns: [
    purposeColumn,
    { name: "IP", type: "string", jsonPath: ".status.sip" },
    { name: "Port", type: "string", jsonPath: ".spec.port" },
    effectiveColumn,
    ageColumn,
  ],
});
export type CNFService = ObjectOf<typeof CNFService>;
