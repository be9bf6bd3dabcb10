import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { conditionFields } from "../conditions.ts";
import { described, plainText } from "../values.ts";
import { ageColumn, compositeKind, messageColumn, purposeColumn } from "./composite-kind.ts";

const status = Type.Partial(
  Type.Object({
    localip: Type.String({ description: "The address of the local service." }),
    localport: described(Type.String(), "Its port."),
    remoteips: Type.Array(Type.String(), { description: "The addresses of the remote service." }),
    remoteport: described(Type.String(), "Its port."),
    message: Type.String({ description: "Why it is not in force." }),
    ...conditionFields,
  }),
  { description: "What is made of it." },
);

/** Connections through a CNF to a remote service that a local one answers instead. It becomes translations, one for each remote address. */
export const CNFLocalService = defineKind({
  ...compositeKind,
  kind: "CNFLocalService",
  description: "Leads connections that leave through the CNF for a remote service to a local one.",
  spec: Type.Partial(
    Type.Object({
      localservice: described(plainText, "The DNS name of the service that answers in its place."),
      localport: described(plainText, "Its port. Empty: the same."),
      remoteservice: described(plainText, "The DNS name of the service that clients ask for."),
      remoteport: described(plainText, "Its port."),
    }),
  ),
  status,
  columns: [purposeColumn, messageColumn, ageColumn],
});
export type CNFLocalService = ObjectOf<typeof CNFLocalService>;
