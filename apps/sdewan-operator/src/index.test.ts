import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports the documented names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "CNFHubSite",
    "CNFLocalService",
    "CNFNAT",
    "CNFRoute",
    "CNFRouteRule",
    "CNFService",
    "CNFStatus",
    "CniInterface",
    "FirewallDNAT",
    "FirewallForwarding",
    "FirewallRule",
    "FirewallSNAT",
    "FirewallZone",
    "IpsecHost",
    "IpsecProposal",
    "IpsecSite",
    "Mwan3Policy",
    "Mwan3Rule",
    "NetworkFirewallRule",
    "SdewanApplication",
    "State",
    "apiKinds",
    "cnfName",
    "operatorPanels",
    "runOperator",
  ]);
});
