import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { conditionFields } from "../conditions.ts";
import { effectiveColumn } from "../rule-kind.ts";
import { described, plainText } from "../values.ts";
import { ageColumn, compositeKind, messageColumn, purposeColumn } from "./composite-kind.ts";

const status = Type.Partial(
  Type.Object({
    localip: Type.String({ description: "The address of the local service." }),
    localport: described(Type.String(), "The port of the local service."),
    remoteips: Type.Array(Type.String(), { description: "The addresses of the remote service." }),
    remoteport: described(Type.String(), "The port of the remote service."),
    message: Type.String({ description: "The reason why the redirection is not in force." }),
    ...conditionFields,
  }),
  { description: "The values that the children were created from." },
);

/**
 * Redirects connections through a CNF from a remote service to a local one. The operator creates one CNFNAT for each
 * remote address.
 */
export const CNFLocalService = defineKind({
  ...compositeKind,
  kind: "CNFLocalService",
  description: "Redirects connections through the CNF from a remote service to a local one.",
  spec: Type.Partial(
    Type.Object({
      localservice: described(plainText, "The DNS name of the local service that receives the connections."),
      localport: described(plainText, "The port of the local service. Default: the remote port."),
      remoteservice: described(plainText, "The DNS name of the remote service that clients connect to."),
      remoteport: described(plainText, "The port of the remote service."),
    }),
  ),
  status,
  columns: [purposeColumn, effectiveColumn, messageColumn, ageColumn],
});
export type CNFLocalService = ObjectOf<typeof CNFLocalService>;
