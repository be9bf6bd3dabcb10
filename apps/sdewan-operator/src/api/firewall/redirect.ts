import { type Static, Type } from "typebox";
import { translationDestination, translationPorts, translationSource } from "../translation.ts";
import { addressFamily, described, mac, matchedMark, referredName } from "../values.ts";

/** FirewallSNAT and FirewallDNAT have the same fields. */
export const redirectSpec = Type.Partial(
  Type.Object({
    name: Type.String({ description: "Not used: the redirect is named like the object." }),
    src: described(referredName, "The name of a FirewallZone of the same CNF."),
    ...translationSource,
    src_mac: described(mac, "The MAC address that traffic comes from."),
    ...translationPorts,
    dest: described(referredName, "The name of a FirewallZone of the same CNF."),
    ...translationDestination,
    mark: described(matchedMark, "The firewall mark that traffic has."),
    target: Type.String({ description: "Not used: the kind says it." }),
    family: described(addressFamily, "The IP versions that it is for."),
  }),
);

export type RedirectSpec = Static<typeof redirectSpec>;
