import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { type Static, Type } from "typebox";
import { orderedRuleKind } from "../rule-kind.ts";
import { dnatRules, snatRules } from "../rules.ts";
import { translationDestination, translationPorts, translationSource } from "../translation.ts";
import { addressFamily, described, mac, matchedMark, referredName } from "../values.ts";

/** The fields that FirewallSNAT and FirewallDNAT share. */
const redirectSpec = Type.Partial(
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

/**
 * Rewrites the destination of traffic that enters through a zone. The operator creates one object with the target
 * `DNAT` in the `firewall/v1/redirects` collection.
 */
export const FirewallDNAT = defineKind({
  ...orderedRuleKind,
  kind: "FirewallDNAT",
  description: "Rewrites the destination of traffic that enters through a zone.",
  spec: redirectSpec,
  rules: { spec: dnatRules },
});
export type FirewallDNAT = ObjectOf<typeof FirewallDNAT>;

/**
 * Rewrites the source of traffic that leaves through a zone. The operator creates one object with the target `SNAT` in
 * the `firewall/v1/redirects` collection.
 */
export const FirewallSNAT = defineKind({
  ...orderedRuleKind,
  kind: "FirewallSNAT",
  description: "Rewrites the source of traffic that leaves through a zone.",
  spec: redirectSpec,
  rules: { spec: snatRules },
});
export type FirewallSNAT = ObjectOf<typeof FirewallSNAT>;
