import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { group, version } from "./group.ts";
import { labelSelector } from "./label-selector.ts";
import { interfaceStatus } from "./status.ts";
import { interfaceNamePattern, upOrDownPattern } from "./values.ts";

/** A network interface of a CNF's pod: its status shows it, and `spec.status` (`up` or `down`, in any case) switches it. */
export const CniInterface = defineKind({
  group,
  version,
  kind: "CniInterface",
  scope: "Namespaced",
  description: "Shows one network interface of a CNF pod, and switches it up or down.",
  spec: Type.Partial(
    Type.Object({
      name: Type.String({
        pattern: interfaceNamePattern,
        description: "The interface inside the pod, such as eth0.",
      }),
      status: Type.String({
        pattern: upOrDownPattern,
        description: "The wanted state, up or down; empty: only show it.",
      }),
      mac_address: Type.String({ description: "Not used." }),
      ip_address: Type.Array(Type.String(), { description: "Not used." }),
      cnfSelector: labelSelector("The CNF's pod, in the object's namespace. An empty selector selects none."),
    }),
  ),
  specRequired: false,
  status: interfaceStatus,
  columns: [
    { name: "Interface", type: "string", jsonPath: ".spec.name" },
    { name: "Status", type: "string", jsonPath: ".status.status" },
    { name: "Addresses", type: "string", jsonPath: ".status.ip_address" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});
export type CniInterface = ObjectOf<typeof CniInterface>;
