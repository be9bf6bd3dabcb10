import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { conditionFields } from "../conditions.ts";
import { effectiveColumn } from "../rule-kind.ts";
import { described, plainText } from "../values.ts";
import { ageColumn, compositeKind, messageColumn, purposeColumn } from "./composite-kind.ts";

const status = Type.Partial(
  Type.Object({
    type: described(Type.String(), "The role currently in force: Hub or Device."),
    remoteips: Type.Array(Type.String(), { description: "The addresses that the site's DNS name resolved to." }),
    subnet: described(Type.String(), "The subnet currently in force."),
    hubip: described(Type.String(), "The address of the hub currently in force."),
    devicepip: described(Type.String(), "The address of the device currently in force."),
    message: Type.String({ description: "The reason why the site is not in force." }),
    ...conditionFields,
  }),
  { description: "The values that the children were created from." },
);

/**
 * A site behind a hub, given by its subnet or a DNS name. The operator creates routes for the site and, on a device,
 * also address translations.
 */
export const CNFHubSite = defineKind({
  ...compositeKind,
  kind: "CNFHubSite",
  description: "Routes traffic for a site, given by its subnet or DNS name, through a hub.",
  spec: Type.Partial(
    Type.Object({
      type: described(plainText, "The role of the CNF: Hub or Device."),
      site: described(plainText, "The site's DNS name."),
      subnet: described(plainText, "The site's subnet, such as 10.9.0.0/24."),
      hubip: described(plainText, "For a Hub: the address of the tunnel, which determines the interface name."),
      devicepip: described(plainText, "For a Device: the address of the device at the hub."),
    }),
  ),
  status,
  columns: [purposeColumn, effectiveColumn, messageColumn, ageColumn],
});
export type CNFHubSite = ObjectOf<typeof CNFHubSite>;
