import { defineKind, type ObjectOf, typedSchema } from "@kubewright/apimachinery";
import { group, version } from "./group.ts";
import { labelSelector } from "./label-selector.ts";
import { list, object, text, type ValueOf } from "./schema.ts";
import { type InterfaceStatus, interfaceStatus } from "./status.ts";
import { interfaceName, upOrDown } from "./values.ts";

const spec = object(
  {},
  {
    name: { ...interfaceName(), description: "The interface inside the pod, such as eth0." },
    status: { ...upOrDown(), description: "The wanted state, up or down; empty: only show it." },
    mac_address: text({ description: "Not used." }),
    ip_address: list(text(), { description: "Not used." }),
    cnfSelector: labelSelector("The CNF's pod, in the object's namespace. An empty selector selects none."),
  },
);

export const CniInterface = defineKind({
  group,
  version,
  kind: "CniInterface",
  plural: "cniinterfaces",
  scope: "Namespaced",
  description: "Shows one network interface of a CNF pod, and switches it up or down.",
  spec: typedSchema<ValueOf<typeof spec>>(spec),
  specRequired: false,
  status: typedSchema<InterfaceStatus>(interfaceStatus),
  columns: [
    { name: "Interface", type: "string", jsonPath: ".spec.name" },
    { name: "Status", type: "string", jsonPath: ".status.status" },
    { name: "Addresses", type: "string", jsonPath: ".status.ip_address" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});
export type CniInterface = ObjectOf<typeof CniInterface>;
