import { describe, expect, it } from "vitest";
import { dnsError, startComposite } from "../testing/composites.ts";
import { fieldsOf } from "../testing/fields-of.ts";
import { cnfHubSite } from "./cnf-hub-site.ts";

const hub = { type: "Hub", site: "site.example", subnet: "10.9.0.0/24", hubip: "10.10.10.35" };
const device = { type: "Device", site: "site.example", subnet: "10.9.0.0/24", devicepip: "192.168.1.5" };
const route = (index: number, dst: string, dev: string, table: string) => [
  "CNFRoute",
  `webroute${index}`,
  { dst, dev, table },
];
const snat = (index: number, dest_ip: string) => [
  "CNFNAT",
  `websnat${index}`,
  { dest_ip, dest: "#source", src_dip: "192.168.1.5", index: "1", target: "SNAT" },
];

function start(spec: object, response: readonly string[] | Error = ["198.51.100.10", "198.51.100.9"]) {
  const composite = startComposite(cnfHubSite);
  composite.dns.set("site.example", response);
  composite.put(spec);
  return composite;
}

describe("a CNFHubSite", () => {
  it("becomes a route for each destination on a hub: the subnet first, then the site's addresses", async () => {
    const { settled, shown } = start(hub);
    expect(fieldsOf(await settled())).toEqual({
      type: "Hub",
      remoteips: ["198.51.100.9", "198.51.100.10"],
      subnet: "10.9.0.0/24",
      hubip: "10.10.10.35",
    });
    expect(await shown()).toEqual([
      route(0, "10.9.0.0/24", "vti_10.10.10.35", "default"),
      route(1, "198.51.100.9", "vti_10.10.10.35", "default"),
      route(2, "198.51.100.10", "vti_10.10.10.35", "default"),
    ]);
  });

  it("becomes a route and an SNAT for each destination on a device", async () => {
    const { settled, shown } = start(device, ["198.51.100.9"]);
    await settled();
    expect(await shown()).toEqual([
      snat(0, "10.9.0.0/24"),
      snat(1, "198.51.100.9"),
      route(0, "10.9.0.0/24", "#192.168.1.5", "cnf"),
      route(1, "198.51.100.9", "#192.168.1.5", "cnf"),
    ]);
  });

  it("accepts a name or a subnet alone, and uses each destination once", async () => {
    const { settled, shown, put } = start({ ...hub, subnet: "" }, ["198.51.100.9"]);
    await settled();
    expect(await shown()).toEqual([route(0, "198.51.100.9", "vti_10.10.10.35", "default")]);
    put({ ...hub, site: "" });
    expect(fieldsOf(await settled())).toEqual({ type: "Hub", subnet: "10.9.0.0/24", hubip: "10.10.10.35" });
    expect(await shown()).toEqual([route(0, "10.9.0.0/24", "vti_10.10.10.35", "default")]);
    put({ ...hub, subnet: "198.51.100.9/32" });
    await settled();
    expect(await shown()).toEqual([route(0, "198.51.100.9/32", "vti_10.10.10.35", "default")]);
  });

  it("replaces the children of a hub when it becomes a device, and vice versa", async () => {
    const { settled, shown, put } = start(hub);
    await settled();
    put(device);
    await settled();
    expect((await shown()).map(([, name]) => name)).toEqual([
      "websnat0",
      "websnat1",
      "websnat2",
      "webroute0",
      "webroute1",
      "webroute2",
    ]);
    put(hub);
    expect(await settled()).not.toHaveProperty("devicepip");
    expect((await shown()).map(([, name]) => name)).toEqual(["webroute0", "webroute1", "webroute2"]);
  });

  it.each([
    [{ ...hub, type: "hub", site: "", subnet: "" }, "Invalid Type: should be Hub or Device"],
    [{ ...hub, site: "", subnet: "", hubip: "" }, "Invalid Site: neither of the url or the subnet set"],
    [{ ...hub, site: "none.example", subnet: "x" }, "Cannot retrieve Site ip: none.example has no IPv4 address"],
    [{ ...hub, subnet: "10.9.0.0", hubip: "" }, "Invalid Subnet: 10.9.0.0"],
    [{ ...hub, subnet: "10.9.0.0/33" }, "Invalid Subnet: 10.9.0.0/33"],
    [{ ...hub, subnet: "2001:db8::/32" }, "Invalid Subnet: 2001:db8::/32"],
    [{ ...hub, hubip: "", devicepip: "x" }, "HubIP is required"],
    [{ ...hub, hubip: "10.10.10", devicepip: "x" }, "Invalid HubIP: 10.10.10"],
    [{ ...device, hubip: "hub.example", devicepip: "" }, "Invalid HubIP: hub.example"],
    [{ ...device, devicepip: "" }, "DevicePIP is required"],
    [{ ...device, devicepip: "192.168.1" }, "Invalid DevicePIP: 192.168.1"],
    [{ ...hub, devicepip: "x" }, "Invalid DevicePIP: x"],
    [
      { ...hub, hubip: "192.168.100.200" },
      "Invalid HubIP: 192.168.100.200: the interface name vti_192.168.100.200 would be longer than 15 characters",
    ],
  ])("reports the first error in %j", async (spec, message) => {
    const { reconcile, stored, shown } = start(spec);
    expect(await reconcile()).toEqual({ requeueAfterMs: 30_000 });
    expect(fieldsOf(stored()?.status)).toEqual({ message });
    expect(await shown()).toEqual([]);
  });

  it("does not treat the hub address of a device as the name of an interface", async () => {
    const { settled } = start({ ...device, hubip: "192.168.100.200" });
    expect(await settled()).toMatchObject({ hubip: "192.168.100.200" });
  });

  it.each(["ENOTFOUND", "EAI_AGAIN"])("keeps its children when its name fails with %s", async (code) => {
    const { settled, dns, shown, stored } = start(hub);
    await settled();
    dns.set("site.example", dnsError(code));
    await settled();
    expect(await shown()).toHaveLength(3);
    expect(stored()?.status?.message).toMatch(/^Cannot retrieve Site ip: /);
  });
});
