import { deployments, pods, secrets } from "../cluster/api-resource.ts";
import { site } from "../cluster/workloads.ts";
import type { SimulatedCnf } from "../network/simulated-cnf.ts";
import { ruleTemplates } from "../users/rule-templates.ts";
import type { World } from "../world.ts";
import { type Claim, claimsIn, isPaused, isUndecided, purposeOf, younger } from "./claims.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields that the CNF returns in another form, or adds, by path. */
const unseen: Readonly<Record<string, readonly string[]>> = {
  "ipsec/v1/remotes": ["local_public_cert", "local_private_cert", "shared_ca", "enabled"],
  "route/v1/routes": ["dev_val"],
  "networkfirewall/v1/rules": ["src_val", "dest_val"],
  "nat/v1/nats": ["src_val", "dest_val"],
};

/** Returns the superfluous, missing and wrong objects of all CNFs. */
export function wrongHoldings(world: World): string[] {
  const claims = claimsIn(world);
  const losers = younger(claims);
  return world.store.list(deployments).flatMap((deployment) =>
    world.workloads.podsOf(deployment).flatMap((pod) => {
      const cnf = world.workloads.cnfIn(pod);
      const mine = claims.filter(({ purpose }) => purpose === purposeOf(deployment));
      return cnf ? wrongOn(world, cnf, mine, losers) : [`pod ${pod.metadata.name} has no CNF`];
    }),
  );
}

function wrongOn(world: World, cnf: SimulatedCnf, claims: readonly Claim[], losers: ReadonlySet<Claim>): string[] {
  const problems: string[] = [];
  const note = (path: string, name: string, what: string): void =>
    void problems.push(`${cnf.address} ${path}/${name}: ${what}`);
  for (const path of new Set(ruleTemplates.map((template) => template.path))) {
    const held = cnf.person.holdings(path);
    const own = cnf.person.own.get(path);
    const here = claims.filter(({ template }) => template.path === path);
    for (const [name, objects] of held) {
      if (objects.length > 1) note(path, name, `${objects.length} objects of that name`);
      const wanting = here.filter((claim) => claim.name === name);
      const [object = {}] = objects;
      if (own?.has(name)) continue;
      if (wanting.some(({ rule }) => isPaused(rule))) continue;
      const right = wanting.filter((claim) => !losers.has(claim));
      if (right.length === 0) note(path, name, `exists, but no rule wants it: ${JSON.stringify(object)}`);
      const differences = right.map((claim) => differenceOf(path, wantedBy(world, claim), object));
      if (right.length > 0 && differences.every(Boolean)) note(path, name, String(differences[0]));
    }
    for (const claim of here) {
      if (losers.has(claim) || isUndecided(claim, claims) || isPaused(claim.rule)) continue;
      if (!held.has(claim.name)) note(path, claim.name, "is missing");
    }
    for (const name of own?.keys() ?? []) if (!held.has(name)) note(path, name, "somebody's own object is gone");
  }
  return problems;
}

/** Returns a person's own objects on CNFs that were changed. */
export async function touchedOwn({ network }: World): Promise<string[]> {
  const problems: string[] = [];
  for (const cnf of network.cnfs)
    for (const [path, objects] of cnf.person.own)
      for (const [name, before] of objects) {
        const now = await cnf.person.show(path, name);
        if (now !== before)
          problems.push(`${cnf.address} ${path}/${name}: somebody's own object was ${before}, and is ${now}`);
      }
  return problems;
}

function wantedBy(world: World, { rule, template }: Claim): Fields {
  const addressesOf = (app: string): string[] =>
    world.store
      .list(pods, site)
      .filter(({ metadata }) => metadata.labels?.app === app)
      .map(({ status }) => String(status?.podIP))
      .toSorted(byNumber);
  const secret = (name: string, key: string): string | undefined => {
    const data = world.store.find(secrets, { namespace: rule.metadata.namespace ?? "", name })?.data?.[key];
    return data === undefined ? undefined : Buffer.from(data, "base64").toString();
  };
  return template.record(rule.spec ?? {}, { addressesOf, secret });
}

const byNumber = (a: string, b: string): number => {
  const [left, right] = [a, b].map((address) => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0));
  return (left ?? 0) - (right ?? 0);
};

function differenceOf(path: string, wanted: Fields, held: Fields): string | undefined {
  const hidden = ["name", ...(unseen[path] ?? [])];
  const fields = new Set([...Object.keys(wanted), ...Object.keys(held)].filter((field) => !hidden.includes(field)));
  for (const field of fields) {
    const [want, have] = [wanted[field], held[field]].map((value) => JSON.stringify(plain(withoutNames(path, value))));
    if (want !== have) return `${field} is ${have}, but should be ${want}`;
  }
  return undefined;
}

/** The CNF assigns names to the members of a policy. */
function withoutNames(path: string, value: unknown): unknown {
  if (path !== "mwan3/v1/policies" || !Array.isArray(value)) return value;
  return value.map((member: object) => ({ ...member, name: "" }));
}

/** Normalizes a value: all forms of absence become null, and keys are sorted. */
function plain(value: unknown): unknown {
  if (value === undefined || value === null || value === "" || value === false) return null;
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(plain);
  if (typeof value === "object") {
    const entries = Object.entries(value).map(([key, member]) => [key, plain(member)] as const);
    return Object.fromEntries(entries.filter(([, member]) => member !== null).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
  return String(value);
}
