import { type Static, Type } from "typebox";
import { translationDestination, translationPorts, translationSource } from "../translation.ts";
import { addressFamily, described, mac, matchedMark, referredName } from "../values.ts";

/** The fields that FirewallSNAT and FirewallDNAT share. */
export const redirectSpec = Type.Partial(
  Type.Object({
    name: Type.String({ description: "Not used: the redirect has the name of this object." }),
    src: described(referredName, "The name of a FirewallZone of the same CNF."),
    ...translationSource,
    src_mac: described(mac, "The source MAC address."),
    ...translationPorts,
    dest: described(referredName, "The name of a FirewallZone of the same CNF."),
    ...translationDestination,
    mark: described(matchedMark, "The firewall mark of the traffic."),
    target: Type.String({ description: "Not used: the kind determines the target." }),
    family: described(addressFamily, "The IP versions that the redirect applies to."),
  }),
);

export type RedirectSpec = Static<typeof redirectSpec>;
