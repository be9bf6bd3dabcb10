import { type CnfFault, cnfFaults } from "../network/cnf-faults.ts";
import type { SimulatedCnf } from "../network/simulated-cnf.ts";
import { ruleTemplates } from "../users/rule-templates.ts";
import type { World } from "../world.ts";
import type { Actions } from "./action.ts";

const cnfOf = ({ network }: World, one: (cnfs: readonly SimulatedCnf[]) => SimulatedCnf | undefined) =>
  one(network.cnfs);

/** Returns the objects on a CNF at a path that do not belong to the simulated person. */
function othersOn({ person }: SimulatedCnf, path: string): readonly string[] {
  return [...person.holdings(path).keys()].filter((name) => !person.own.get(path)?.has(name));
}

const personsObjects = [
  ["firewall/v1/rules", { proto: "tcp", src_ip: "192.0.2.77", target: "ACCEPT" }],
  ["firewall/v1/redirects", { src_dport: "7070", proto: "tcp", dest_ip: "192.0.2.78", dest_port: "70" }],
  ["route/v1/routes", { dst: "192.168.77.0/24", dev: "net1", table: "cnf" }],
  ["nat/v1/nats", { src_dport: "7777", proto: "tcp", dest_ip: "10.7.7.7", target: "DNAT", index: "0" }],
  ["mwan3/v1/policies", { members: [{ interface: "net1", metric: "7", weight: "7" }] }],
] as const;

export const cnfActions: Actions = {
  spoilAnswers: [
    14,
    (world, dice) => {
      const cnf = cnfOf(world, (all) => dice.one(all));
      if (!cnf) return undefined;
      const fault = dice.one(cnfFaults);
      const faults: CnfFault[] = Array.from({ length: 1 + dice.below(6) }, () =>
        dice.chance(0.5) ? fault : dice.one(cnfFaults),
      );
      cnf.faults.push(...faults);
      return `the next answers of ${cnf.address}: ${faults.join(", ")}`;
    },
  ],
  slowDown: [
    4,
    (world, dice) => {
      const cnf = cnfOf(world, (all) => dice.one(all));
      if (!cnf) return undefined;
      cnf.slowMs = dice.one([0, 300, 2_500, 12_000, 35_000]);
      return `${cnf.address} takes ${cnf.slowMs} ms to answer`;
    },
  ],
  unreachable: [
    4,
    (world, dice) => {
      const cnf = cnfOf(world, (all) => dice.one(all));
      if (!cnf) return undefined;
      const ms = dice.one([1_000, 20_000, 90_000]);
      cnf.isUnreachable = true;
      world.clock.after(ms, () => {
        cnf.isUnreachable = false;
      });
      return `${cnf.address} cannot be reached for ${ms} ms`;
    },
  ],
  loseSessions: [
    4,
    (world, dice) => {
      const cnf = cnfOf(world, (all) => dice.one(all));
      cnf?.simulator.expireSessions();
      return cnf && `${cnf.address} ends all sessions`;
    },
  ],
  loseAll: [
    4,
    (world, dice) => {
      const cnf = cnfOf(world, (all) => dice.one(all));
      cnf?.restart();
      return cnf && `${cnf.address} loses all objects without notice`;
    },
  ],
  loseOne: [
    4,
    (world, dice) => {
      const cnf = cnfOf(world, (all) => dice.one(all));
      const config = dice.one(["firewall", "mwan3", "ipsec", "nat", "route", "rule", "networkfirewall", "application"]);
      if (!cnf) return undefined;
      const paths = ruleTemplates.map(({ path }) => path).filter((path) => path.startsWith(`${config}/`));
      return loseConfiguration(cnf, [...new Set(paths)]).then(
        () => `${cnf.address} loses its configuration of ${config}`,
      );
    },
  ],
  tamper: [
    7,
    async (world, dice) => {
      const cnf = cnfOf(world, (all) => dice.one(all));
      const template = dice.one(ruleTemplates);
      if (!cnf || !template) return undefined;
      const name = dice.one(othersOn(cnf, template.path));
      if (name === undefined) return undefined;
      if (dice.chance(0.4)) await cnf.person.remove(template.path, name);
      else await cnf.person.tamper(template.path, name, template.tampered);
      return `somebody edits ${template.path}/${name} on ${cnf.address} by hand`;
    },
  ],
  moveByHand: [
    5,
    async (world, dice) => {
      const cnf = cnfOf(world, (all) => dice.one(all));
      const template = dice.one(ruleTemplates.filter(({ isOrdered }) => isOrdered));
      if (!cnf || !template) return undefined;
      const name = dice.one(othersOn(cnf, template.path));
      if (name === undefined) return undefined;
      // The CNF does not show that the rule of a translation with an index was inserted again.
      const [{ index } = {}] = cnf.person.holdings(template.path).get(name) ?? [];
      if (Number(index) > 0) return undefined;
      // An unchanged object moves to the end.
      await cnf.person.tamper(template.path, name, {});
      return `somebody moves ${template.path}/${name} to the end on ${cnf.address} by hand`;
    },
  ],
  restartFirewall: [
    4,
    async (world, dice) => {
      const cnf = cnfOf(world, (all) => dice.one(all));
      const action = dice.chance(0.7) ? "restart" : "reload";
      await cnf?.person.restartFirewall(action);
      return cnf && `somebody lets the firewall of ${cnf.address} ${action}`;
    },
  ],
  putOwn: [
    8,
    async (world, dice) => {
      const cnf = cnfOf(world, (all) => dice.one(all));
      const chosen = dice.one(personsObjects);
      if (!cnf || !chosen) return undefined;
      const [path, object] = chosen;
      const name = `hand${dice.below(3)}`;
      await cnf.person.putOwn(path, { ...object, name });
      return `somebody creates ${path}/${name} on ${cnf.address} by hand`;
    },
  ],
};

async function loseConfiguration({ person }: SimulatedCnf, paths: readonly string[]): Promise<void> {
  for (const path of paths.toReversed())
    for (const name of person.holdings(path).keys())
      if (!person.own.get(path)?.has(name)) await person.remove(path, name);
}
