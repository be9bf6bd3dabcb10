import type { DeepReadonly } from "@kubewright/apimachinery";
import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFService } from "../api/composite/cnf-service.ts";
import { portOf, resolved, textOf } from "./checks.ts";
import { type Child, CompositeError, compositeKind, type Environment, type Facts } from "./composite-kind.ts";

/** Forwards connections from a port on the CNF to a service, with one CNFNAT. */
export const cnfService = compositeKind({
  kind: CNFService,
  owns: [CNFNAT],
  names: ({ spec }) => [spec?.fullname],
  facts: (object, environment) => {
    const { spec = {} } = object;
    const failure = "Cannot reterive CNF Service ip";
    const addresses = resolved(environment, spec.fullname, failure, { dropsChildren: true });
    const port = portOf(spec.port, "Port");
    if (port === "")
      throw new CompositeError("Port: Required value: an empty port would redirect all of the CNF's TCP traffic");
    if (environment.api.ports.has(Number(port)))
      throw new CompositeError(`Port: ${port} is the port of the CNF's own REST API, which would become unreachable`);
    const current = [object.status?.sip, ...environment.existing.map(destinationOf)];
    const sip = current.find((address) => address !== undefined && addresses.includes(address)) ?? addresses[0];
    return { sip, port, dport: portOf(spec.dport, "svcDPort") };
  },
  children: (name, { sip, port, dport }) => children(name, { sip, from: port, to: dport }),
  // The reference swaps the two ports.
  referenceChildren: (name, { sip, port, dport }) => children(name, { sip, from: dport, to: port }),
});

function children(name: string, { sip, from, to }: Facts): readonly Child[] {
  if (textOf(sip) === "") return [];
  const [dest_ip, src_dport, dest_port] = [sip, from, to].map(textOf) as [string, string, string];
  const spec = { src_dport, dest_ip, dest_port, index: "2", proto: "tcp", target: "DNAT" };
  return [{ kind: CNFNAT, name: `${name}nat`, spec }];
}

function destinationOf({ spec }: DeepReadonly<Environment["existing"][number]>): string | undefined {
  return spec !== undefined && "dest_ip" in spec && typeof spec.dest_ip === "string" ? spec.dest_ip : undefined;
}
