import type { Clock } from "@kubewright/clock";
import { CnfSimulator } from "@kubewright/openwrt/testing";
import { hubIp } from "../users/composite-templates.ts";
import type { CnfFault } from "./cnf-faults.ts";
import { Person } from "./person.ts";

/** The password of the simulator itself. */
export const innerPassword = "inner";

/** The interfaces of every CNF, and the networks that they are attached to. */
export const networks: readonly { readonly network: string; readonly interface: string }[] = [
  { network: "ovn-net1", interface: "net1" },
  { network: "ovn-net2", interface: "net2" },
];

/** One OpenWrt, in one pod. */
export class SimulatedCnf {
  readonly address: string;
  readonly simulator: CnfSimulator;
  /** A person who works on it by hand, over the same API as the operator. */
  readonly person: Person;
  /** Its current password. */
  password: string;
  /** Its next faults. */
  faults: CnfFault[] = [];
  /** Delay of every answer. */
  slowMs = 0;
  isUnreachable = false;
  /** Number of requests. */
  requests = 0;
  /** Number of requests that change something, without log-ins. */
  writes = 0;

  constructor(address: string, password: string, clock: Clock) {
    this.address = address;
    this.password = password;
    this.simulator = CnfSimulator.withoutServer({
      clock,
      password: innerPassword,
      interfaces: [
        { name: "eth0", ip: address },
        { name: `vti_${hubIp}`, ip: hubIp },
        ...networks.map(({ interface: name }, index) => ({ name, ip: `10.${20 + index}.0.2` })),
      ],
    });
    this.person = new Person(this.simulator, innerPassword);
  }

  /** Loses all objects, like a restart of its container. */
  restart(): void {
    this.simulator.restart();
    this.person.hasLost();
  }

  heal(): void {
    this.faults = [];
    this.slowMs = 0;
    this.isUnreachable = false;
  }
}
