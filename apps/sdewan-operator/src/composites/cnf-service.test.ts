import { describe, expect, it } from "vitest";
import { dnsError, startComposite } from "../testing/composites.ts";
import { fieldsOf } from "../testing/fields-of.ts";
import { putCnf } from "../testing/fixtures.ts";
import { cnfService } from "./cnf-service.ts";

const spec = { fullname: "foo.default.svc.cluster.local", port: "8866", dport: "8080" };
const nat = (dest_ip: string, more: object = {}) => [
  "CNFNAT",
  "webnat",
  { src_dport: "8866", dest_ip, dest_port: "8080", index: "2", proto: "tcp", target: "DNAT", ...more },
];

function start(response: readonly string[] | Error = ["10.0.0.9", "10.0.0.10"]) {
  const composite = startComposite(cnfService);
  composite.dns.set(spec.fullname, response);
  composite.put(spec);
  return composite;
}

describe("a CNFService", () => {
  it("becomes a CNFNAT from its port to the port of the service, at the lowest address", async () => {
    const { shown, settled } = start(["10.0.0.10", "10.0.0.9"]);
    expect(fieldsOf(await settled())).toEqual({ sip: "10.0.0.9", port: "8866", dport: "8080" });
    expect(await shown()).toEqual([nat("10.0.0.9")]);
  });

  it("keeps its address while the name still resolves to it, and then takes the lowest of the others", async () => {
    const { dns, shown, settled, children } = start(["10.0.0.9"]);
    await settled();
    const [before] = await children();
    dns.set(spec.fullname, ["10.0.0.1", "10.0.0.9"]);
    await settled();
    expect(await shown()).toEqual([nat("10.0.0.9")]);
    dns.set(spec.fullname, ["10.0.0.4", "10.0.0.3"]);
    expect(await settled()).toMatchObject({ sip: "10.0.0.3" });
    expect(await shown()).toEqual([nat("10.0.0.3")]);
    const [after] = await children();
    expect([after?.metadata.uid, after?.metadata.generation]).toEqual([before?.metadata.uid, 2]);
  });

  it("keeps the address of its existing child if its status does not contain one", async () => {
    const { dns, settled, cluster, stored, shown } = start(["10.0.0.9"]);
    await settled();
    const { status: _lost, ...object } = stored() ?? expect.unreachable();
    cluster.restore(object);
    dns.set(spec.fullname, ["10.0.0.1", "10.0.0.9"]);
    await settled();
    expect(await shown()).toEqual([nat("10.0.0.9")]);
  });

  it.each(["ENOTFOUND", "ENODATA"])(
    "deletes its child when the name has no address, and creates it again: %s",
    async (code) => {
      const { dns, shown, settled, stored } = start();
      await settled();
      dns.set(spec.fullname, dnsError(code));
      await settled();
      expect(await shown()).toEqual([]);
      expect(stored()?.status?.message).toBe(
        "Cannot reterive CNF Service ip: foo.default.svc.cluster.local has no IPv4 address",
      );
      dns.set(spec.fullname, ["10.0.0.9", "10.0.0.10"]);
      expect(fieldsOf(await settled())).toEqual({ sip: "10.0.0.9", port: "8866", dport: "8080" });
      expect(await shown()).toEqual([nat("10.0.0.9")]);
    },
  );

  it.each(["EAI_AGAIN", "ESERVFAIL", "ETIMEOUT"])(
    "keeps its child while the name cannot be resolved: %s",
    async (code) => {
      const { dns, shown, settled, reconcile, stored } = start();
      await settled();
      dns.set(spec.fullname, dnsError(code));
      expect(await reconcile()).toEqual({ requeueAfterMs: 30_000 });
      expect(await shown()).toEqual([nat("10.0.0.9")]);
      expect(stored()?.status).toMatchObject({
        sip: "10.0.0.9",
        message: expect.stringMatching(/^Cannot reterive CNF Service ip: .* cannot be resolved at the moment/),
      });
      dns.set(spec.fullname, ["10.0.0.9"]);
      expect(await settled()).not.toHaveProperty("message");
    },
  );

  it.each([
    [{ port: "" }, "Port: Required value: an empty port would redirect all of the CNF's TCP traffic"],
    [{ port: "443" }, "Port: 443 is the port of the CNF's own REST API, which would become unreachable"],
    [{ port: "0443" }, "Port: 0443 is the port of the CNF's own REST API, which would become unreachable"],
    [{ port: "http" }, 'Port: "http" is not a port; use a number from 1 to 65535'],
    [{ port: "70000" }, 'Port: "70000" is not a port; use a number from 1 to 65535'],
    [{ dport: "-1" }, 'svcDPort: "-1" is not a port; use a number from 1 to 65535'],
    [{ fullname: "" }, "Cannot reterive CNF Service ip: no name was given"],
  ])("reports the error in %j, and creates nothing", async (wrong, message) => {
    const { put, reconcile, stored, shown } = start();
    put({ ...spec, ...wrong });
    await reconcile();
    expect(fieldsOf(stored()?.status)).toEqual({ message });
    expect(await shown()).toEqual([]);
  });

  it("uses the ports on which the pods of its CNF listen", async () => {
    const { cluster, put, settled, reconcile, stored } = start();
    putCnf(cluster, "edge7", ["10.9.9.1"], { "kubewright.dev/cnf-endpoint": "http:8866" }, "default");
    await reconcile();
    expect(stored()?.status?.message).toContain("8866 is the port of the CNF's own REST API");
    put({ ...spec, port: "443" });
    expect(fieldsOf(await settled())).toEqual({ sip: "10.0.0.9", port: "443", dport: "8080" });
  });

  it("adopts the child that the reference's operator left with swapped ports, and corrects it", async () => {
    const { cluster, stored, shown, settled, children } = start();
    const [kind, name, right] = nat("10.0.0.10");
    const object = { ...(right as object), src_dport: "8080", dest_port: "8866" };
    const apiVersion = "batch.sdewan.akraino.org/v1alpha1";
    cluster.restore({
      apiVersion,
      kind: String(kind),
      metadata: { name: String(name), namespace: "default" },
      spec: object,
    });
    cluster.restore({ ...stored(), status: { sip: "10.0.0.10", port: "8866", dport: "8080" } } as never);
    await settled();
    expect(await shown()).toEqual([nat("10.0.0.10")]);
    expect((await children())[0]?.metadata.ownerReferences).toHaveLength(1);
  });
});
