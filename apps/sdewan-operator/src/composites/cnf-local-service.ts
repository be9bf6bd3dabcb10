import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFLocalService } from "../api/composite/cnf-local-service.ts";
import { listOf, portOf, resolved, textOf } from "./checks.ts";
import { CompositeError, compositeKind } from "./composite-kind.ts";

/** Redirects connections from a remote service to a local one, with a CNFNAT for each remote address. */
export const cnfLocalService = compositeKind({
  kind: CNFLocalService,
  owns: [CNFNAT],
  names: ({ spec }) => [spec?.localservice, spec?.remoteservice],
  facts: ({ spec = {} }, environment) => {
    const [localip] = resolved(environment, spec.localservice, "Cannot reterive LocalService ip");
    const remoteips = resolved(environment, spec.remoteservice, "Cannot reterive RemoteService ip");
    const localport = portOf(spec.localport, "LocalPort");
    const remoteport = portOf(spec.remoteport, "RemotePort");
    if (remoteport === "")
      throw new CompositeError(
        "RemotePort: Required value: an empty port would redirect all TCP traffic to the remote service",
      );
    const { ports, addresses } = environment.api;
    const own = remoteips.find((address) => addresses.has(address));
    if (own !== undefined && ports.has(Number(remoteport)))
      throw new CompositeError(
        `RemotePort: ${own}:${remoteport} is the CNF's own REST API, which would become unreachable`,
      );
    return { localip, localport, remoteips, remoteport };
  },
  children: (name, { localip, localport, remoteips, remoteport }) => {
    if (textOf(localip) === "") return [];
    return listOf(remoteips).map((src_dip, index) => ({
      kind: CNFNAT,
      name: `${name}nat${index}`,
      spec: {
        src_dip,
        src_dport: textOf(remoteport),
        dest_ip: textOf(localip),
        dest_port: textOf(localport),
        proto: "tcp",
        target: "DNAT",
      },
    }));
  },
});
