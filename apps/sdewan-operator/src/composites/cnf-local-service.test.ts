import { describe, expect, it } from "vitest";
import { dnsError, startComposite } from "../testing/composites.ts";
import { fieldsOf } from "../testing/fields-of.ts";
import { putCnf } from "../testing/fixtures.ts";
import { cnfLocalService } from "./cnf-local-service.ts";

const spec = { localservice: "here.example", localport: "8080", remoteservice: "there.example", remoteport: "80" };
const nat = (index: number, src_dip: string, dest_ip = "10.0.0.9") => [
  "CNFNAT",
  `webnat${index}`,
  { src_dip, src_dport: "80", dest_ip, dest_port: "8080", proto: "tcp", target: "DNAT" },
];

function start(remote: readonly string[] = ["192.0.2.10", "192.0.2.9"]) {
  const composite = startComposite(cnfLocalService);
  composite.dns.set("here.example", ["10.0.0.10", "10.0.0.9"]);
  composite.dns.set("there.example", remote);
  composite.put(spec);
  return composite;
}

describe("a CNFLocalService", () => {
  it("becomes a CNFNAT for each remote address, lowest first", async () => {
    const { settled, shown } = start();
    expect(fieldsOf(await settled())).toEqual({
      localip: "10.0.0.9",
      localport: "8080",
      remoteips: ["192.0.2.9", "192.0.2.10"],
      remoteport: "80",
    });
    expect(await shown()).toEqual([nat(0, "192.0.2.9"), nat(1, "192.0.2.10")]);
  });

  it("does not change when the resolver returns the addresses in another order", async () => {
    const { settled, dns, children } = start();
    await settled();
    const before = await children();
    dns.set("there.example", ["192.0.2.9", "192.0.2.10"]);
    await settled();
    expect((await children()).map(({ metadata }) => metadata.generation)).toEqual([1, 1]);
    expect((await children()).map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  });

  it("deletes the child of an address that no longer exists", async () => {
    const { settled, dns, shown } = start();
    await settled();
    dns.set("there.example", ["192.0.2.10"]);
    expect(await settled()).toMatchObject({ remoteips: ["192.0.2.10"] });
    expect(await shown()).toEqual([nat(0, "192.0.2.10")]);
  });

  it.each([
    ["here.example", "ENOTFOUND", "Cannot reterive LocalService ip: here.example has no IPv4 address"],
    ["there.example", "ENOTFOUND", "Cannot reterive RemoteService ip: there.example has no IPv4 address"],
    ["there.example", "EAI_AGAIN", "Cannot reterive RemoteService ip: there.example cannot be resolved at the moment"],
  ])("keeps its children when %s fails with %s", async (name, code, message) => {
    const { settled, dns, shown, stored } = start();
    await settled();
    dns.set(name, dnsError(code));
    await settled();
    expect(await shown()).toHaveLength(2);
    expect(stored()?.status).toMatchObject({ localip: "10.0.0.9", message: expect.stringContaining(message) });
    dns.set("here.example", ["10.0.0.9"]);
    dns.set("there.example", ["192.0.2.9", "192.0.2.10"]);
    expect(await settled()).not.toHaveProperty("message");
  });

  it.each([
    [
      { remoteport: "" },
      "RemotePort: Required value: an empty port would redirect all TCP traffic to the remote service",
    ],
    [{ remoteport: "x" }, 'RemotePort: "x" is not a port; use a number from 1 to 65535'],
    [{ localport: "0" }, 'LocalPort: "0" is not a port; use a number from 1 to 65535'],
  ])("reports the error in %j, and creates nothing", async (wrong, message) => {
    const { put, reconcile, stored, shown } = start();
    put({ ...spec, ...wrong });
    await reconcile();
    expect(fieldsOf(stored()?.status)).toEqual({ message });
    expect(await shown()).toEqual([]);
  });

  it("does not redirect connections to the CNF's own REST API", async () => {
    const { cluster, put, reconcile, settled, stored } = start(["10.9.9.1"]);
    putCnf(cluster, "edge7", ["10.9.9.1"], {}, "default");
    put({ ...spec, remoteport: "443" });
    await reconcile();
    expect(stored()?.status?.message).toContain("10.9.9.1:443 is the CNF's own REST API");
    put(spec);
    expect(await settled()).toMatchObject({ remoteips: ["10.9.9.1"], remoteport: "80" });
  });
});
