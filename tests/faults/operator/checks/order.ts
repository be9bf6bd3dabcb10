import { compareByOrder } from "../actions/rule-actions.ts";
import { deployments } from "../cluster/api-resource.ts";
import type { StoredObject } from "../cluster/stored-object.ts";
import type { SimulatedCnf } from "../network/simulated-cnf.ts";
import { ruleTemplates } from "../users/rule-templates.ts";
import type { World } from "../world.ts";
import { type Claim, claimsIn, isPaused, isUndecided, purposeOf, younger } from "./claims.ts";

const natPath = "nat/v1/nats";

/** Chains that contain the rules of a collection, by its path. */
const chains: Readonly<Record<string, readonly [table: string, chain: string]>> = {
  "networkfirewall/v1/rules": ["filter", "INPUT"],
  [natPath]: ["nat", "PREROUTING"],
};

/** Returns the differences between the wanted order and the order of the objects, and of their rules, on all CNFs. */
export function wrongOrder(world: World): string[] {
  const claims = claimsIn(world);
  const losers = younger(claims);
  const settled = claims.filter((claim) => !losers.has(claim) && !isUndecided(claim, claims) && !isPaused(claim.rule));
  return world.store.list(deployments).flatMap((deployment) => {
    const mine = settled.filter(({ purpose, template }) => purpose === purposeOf(deployment) && template.isOrdered);
    return world.workloads.podsOf(deployment).flatMap((pod) => {
      const cnf = world.workloads.cnfIn(pod);
      return cnf ? wrongOn(cnf, mine) : [];
    });
  });
}

function wrongOn(cnf: SimulatedCnf, claims: readonly Claim[]): string[] {
  return [...new Set(ruleTemplates.map(({ path }) => path))]
    .flatMap((path) => {
      const wanted = claims
        .filter(({ rule, template }) => template.path === path && !hasPosition(rule))
        .toSorted((a, b) => compareByOrder(a.rule, b.rule));
      const names = wanted.map(({ name }) => name);
      const held = [...cnf.person.holdings(path)];
      const own = [...(cnf.person.own.get(path)?.keys() ?? [])];
      return [
        ...difference(
          `${cnf.address} ${path}`,
          names,
          held.map(([name]) => name).filter((name) => names.includes(name)),
        ),
        ...difference(
          `${cnf.address} ${path}, somebody's own`,
          own,
          held.map(([name]) => name).filter((name) => own.includes(name)),
        ),
        ...wrongChain(cnf, path, names),
      ];
    })
    .concat(wrongTranslations(cnf, claims));
}

/** Compares translations with an index and the same port, of which the one that was written last applies. */
function wrongTranslations({ address, person, simulator }: SimulatedCnf, claims: readonly Claim[]): string[] {
  const positioned = claims.filter(({ rule: { spec } }) => Number(spec?.index) > 0 && spec?.src_dport !== undefined);
  const destinations = simulator.iptables
    .rules("nat", "PREROUTING")
    .map((rule) => /--dport (\d+) .*--to-destination ([\d.]+)/.exec(rule) ?? []);
  return [...Map.groupBy(positioned, ({ rule: { spec } }) => String(spec?.src_dport))].flatMap(([port, all]) => {
    const wanted = all.toSorted((a, b) => compareByOrder(a.rule, b.rule));
    const names = wanted.map(({ name }) => name);
    const held = [...person.holdings(natPath).keys()].filter((name) => names.includes(name));
    const inChain = destinations.flatMap(([, to, destination]) => (to === port ? destination : []));
    const targets = wanted.map(({ rule: { spec } }) => String(spec?.dest_ip));
    return [
      ...difference(`${address} ${natPath} of port ${port}`, names.toReversed(), held),
      ...difference(
        `${address} nat PREROUTING, port ${port}`,
        targets,
        inChain.filter((target) => target !== undefined && targets.includes(target)).map(String),
      ),
    ];
  });
}

/** Compares the rules in a chain with the objects in the wanted order, by their ports. */
function wrongChain({ address, person, simulator }: SimulatedCnf, path: string, names: readonly string[]): string[] {
  const place = chains[path];
  if (!place) return [];
  const holdings = person.holdings(path);
  const portOf = (name: string): string => {
    const [{ src_dport, dest_port } = {}] = holdings.get(name) ?? [];
    return String(src_dport ?? dest_port);
  };
  // iptables cannot distinguish equal rules: a deletion removes the first of them.
  const all = [...holdings.keys()].map(portOf);
  const wanted = names.map(portOf).filter((port) => all.indexOf(port) === all.lastIndexOf(port));
  const rules = simulator.iptables.rules(...place).map((rule) => /--dport (\d+)/.exec(rule)?.[1] ?? rule);
  return difference(
    `${address} ${place.join(" ")}`,
    wanted,
    rules.filter((port) => wanted.includes(port)),
  );
}

const difference = (where: string, wanted: readonly string[], held: readonly string[]): string[] =>
  String(wanted) === String(held) ? [] : [`${where}: the order is ${held}, but should be ${wanted}`];

/** A CNFNAT with an index is where its index says, and a routing rule has a priority. */
const hasPosition = ({ spec }: StoredObject): boolean => Number(spec?.index) > 0 || spec?.prio !== undefined;
