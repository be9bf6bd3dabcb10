import type { Clock } from "@kubewright/clock";
import { CnfSimulator } from "@kubewright/openwrt/testing";
import { hubIp } from "../users/composite-templates.ts";
import type { CnfFault } from "./cnf-faults.ts";
import { Person } from "./person.ts";

/** The password that the simulator itself goes by. */
export const innerPassword = "inner";

/** The interfaces of every CNF here, and the networks that they are attached to. */
export const networks: readonly { readonly network: string; readonly interface: string }[] = [
  { network: "ovn-net1", interface: "net1" },
  { network: "ovn-net2", interface: "net2" },
];

/** One OpenWrt, in one pod. */
export class SimulatedCnf {
  readonly address: string;
  readonly simulator: CnfSimulator;
  /** Someone who works on it by hand, in the same way as the operator. */
  readonly person: Person;
  /** What it takes for its password. */
  password: string;
  /** Its next answers. */
  faults: CnfFault[] = [];
  /** Every answer is late by so much. */
  slowMs = 0;
  isUnreachable = false;
  /** How many requests came. */
  requests = 0;
  /** How many of them were to change something, log-ins apart. */
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

  /** Loses all that it holds, as its container does when it starts again. */
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
