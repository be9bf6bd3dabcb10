import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { conditionFields } from "../conditions.ts";
import { described, plainText } from "../values.ts";
import { ageColumn, compositeKind, messageColumn, purposeColumn } from "./composite-kind.ts";

const status = Type.Partial(
  Type.Object({
    type: described(Type.String(), "Hub or Device, as it is in force."),
    remoteips: Type.Array(Type.String(), { description: "The addresses of the site's name." }),
    subnet: described(Type.String(), "The subnet that is in force."),
    hubip: described(Type.String(), "The address of the hub that is in force."),
    devicepip: described(Type.String(), "The address of the device that is in force."),
    message: Type.String({ description: "Why it is not in force." }),
    ...conditionFields,
  }),
  { description: "What is made of it." },
);

/** A site that is reached through a hub, by its subnet or the addresses of its name. It becomes routes, and on a device translations too. */
export const CNFHubSite = defineKind({
  ...compositeKind,
  kind: "CNFHubSite",
  description: "Reaches a site, by its subnet or its name, through a hub.",
  spec: Type.Partial(
    Type.Object({
      type: described(plainText, "Hub or Device: what the CNF is."),
      site: described(plainText, "The site's DNS name."),
      subnet: described(plainText, "The site's subnet, such as 10.9.0.0/24."),
      hubip: described(plainText, "Of a Hub: the tunnel's address, after which its interface is named."),
      devicepip: described(plainText, "Of a Device: the address that it has at the hub."),
    }),
  ),
  status,
  columns: [purposeColumn, messageColumn, ageColumn],
});
export type CNFHubSite = ObjectOf<typeof CNFHubSite>;
