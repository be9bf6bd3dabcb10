import { isIP, isIPv4 } from "node:net";
import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFRoute } from "../api/cnf-route.ts";
import { CNFHubSite } from "../api/composite/cnf-hub-site.ts";
import { listOf, resolved, textOf } from "./checks.ts";
import { type Child, CompositeError, compositeKind, type Facts } from "./composite-kind.ts";

/** Maximum length of an interface name in Linux. */
const maxDeviceLength = 15;

/**
 * Routes traffic for a site through a hub. On the hub, each destination becomes a route; on a device, a route and an
 * SNAT.
 */
export const cnfHubSite = compositeKind({
  kind: CNFHubSite,
  owns: [CNFRoute, CNFNAT],
  names: ({ spec }) => [spec?.site],
  facts: ({ spec = {} }, environment) => {
    const { type = "", site = "", subnet = "", hubip = "", devicepip = "" } = spec;
    if (type !== "Hub" && type !== "Device") throw new CompositeError("Invalid Type: should be Hub or Device");
    if (site === "" && subnet === "") throw new CompositeError("Invalid Site: neither of the url or the subnet set");
    const remoteips = site === "" ? [] : resolved(environment, site, "Cannot retrieve Site ip");
    if (subnet !== "" && !isCidr(subnet)) throw new CompositeError(`Invalid Subnet: ${shown(subnet)}`);
    if (hubip === "" && type === "Hub") throw new CompositeError("HubIP is required");
    if (hubip !== "" && isIP(hubip) === 0) throw new CompositeError(`Invalid HubIP: ${shown(hubip)}`);
    if (devicepip === "" && type === "Device") throw new CompositeError("DevicePIP is required");
    const isAddress = type === "Device" ? isIPv4 : isIP; // it becomes the source address of IPv4 packets
    if (devicepip !== "" && !isAddress(devicepip)) throw new CompositeError(`Invalid DevicePIP: ${shown(devicepip)}`);
    const device = deviceOf(hubip);
    if (type === "Hub" && device.length > maxDeviceLength)
      throw new CompositeError(
        `Invalid HubIP: ${hubip}: the interface name ${device} would be longer than ${maxDeviceLength} characters`,
      );
    return { type, remoteips, subnet, hubip, devicepip };
  },
  children: (name, facts) => {
    const { type } = facts;
    const [hubip, devicepip] = [textOf(facts.hubip), textOf(facts.devicepip)];
    if (type === "Hub" && hubip !== "") return routes(name, facts, { dev: deviceOf(hubip), table: "default" });
    if (type !== "Device" || devicepip === "") return [];
    return [...routes(name, facts, { dev: `#${devicepip}`, table: "cnf" }), ...translations(name, facts, devicepip)];
  },
});

const deviceOf = (hubip: string): string => `vti_${hubip}`;

function routes(name: string, facts: Facts, via: { readonly dev: string; readonly table: string }): Child[] {
  return destinationsOf(facts).map((dst, index) => ({
    kind: CNFRoute,
    name: `${name}route${index}`,
    spec: { dst, ...via },
  }));
}

function translations(name: string, facts: Facts, devicepip: string): Child[] {
  return destinationsOf(facts).map((dest_ip, index) => ({
    kind: CNFNAT,
    name: `${name}snat${index}`,
    spec: { dest_ip, dest: "#source", src_dip: devicepip, index: "1", target: "SNAT" },
  }));
}

/** Returns the subnet, then the site's addresses, without duplicates. */
function destinationsOf({ subnet, remoteips }: Facts): readonly string[] {
  const single = textOf(subnet).replace(/\/32$/, "");
  return [textOf(subnet), ...listOf(remoteips).filter((address) => address !== single)].filter(Boolean);
}

function isCidr(text: string): boolean {
  const [, address = "", bits = ""] = /^([^/]+)\/([0-9]{1,2})$/.exec(text) ?? [];
  return isIPv4(address) && bits !== "" && Number(bits) <= 32;
}

const shown = (text: string): string => text.slice(0, 64);
