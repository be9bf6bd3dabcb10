import { isChild } from "../checks/watchman.ts";
import { resourceOf } from "../cluster/api-resource.ts";
import { purposeLabel, site } from "../cluster/workloads.ts";
import type { DnsResult } from "../network/dns.ts";
import { bucketLabel, buckets } from "../users/buckets.ts";
import { compositeTemplates, dnsNames } from "../users/composite-templates.ts";
import type { Action, Actions } from "./action.ts";
import { called, edit, purposes, remove, rulesOf } from "./rule-actions.ts";

const compositesOf: (world: Parameters<Action>[0]) => ReturnType<typeof rulesOf> = ({ store }) =>
  compositeTemplates
    .flatMap(({ kind }) => store.list(resourceOf(kind)))
    .filter(({ metadata }) => !metadata.deletionTimestamp);

const putComposite: Action = async (world, dice) => {
  const template = dice.one(compositeTemplates);
  if (!template) return undefined;
  const { kind } = template;
  const name = `${template.prefix}-${dice.one(["a", "b"])}`;
  const spec = template.spec(dice.below(6), name);
  const found = world.store.find(resourceOf(kind), { namespace: site, name });
  if (found?.metadata.deletionTimestamp) return undefined;
  if (found) {
    const gone = Object.fromEntries(Object.keys(found.spec ?? {}).map((field) => [field, null]));
    await edit(world, found, { spec: { ...gone, ...spec } });
    return `edits ${called(found)}: ${JSON.stringify(spec)}`;
  }
  const labels = {
    [purposeLabel]: dice.chance(0.7) ? "edge" : "hub",
    // The children have the bucket too, and the webhooks must allow their creator.
    ...(dice.chance(0.3) ? { [bucketLabel]: dice.one(buckets) } : {}),
  };
  await world.store.create(resourceOf(kind), site, { metadata: { name, labels }, spec });
  return `creates ${kind} ${name} for ${labels[purposeLabel]}: ${JSON.stringify(spec)}`;
};

function answerIn(network: string, below: (end: number) => number): DnsResult {
  const which = below(10);
  if (which === 0) return "NXDOMAIN";
  if (which === 1) return "SERVFAIL";
  if (which === 2) return "hangs";
  const first = 1 + below(4);
  return Array.from({ length: 1 + below(3) }, (_, index) => `${network}.${first + index}`);
}

export const compositeActions: Actions = {
  putComposite: [9, putComposite],
  deleteComposite: [
    4,
    async (world, dice) => {
      const composite = dice.one(compositesOf(world));
      if (composite) await remove(world, composite);
      return composite && `deletes ${called(composite)}`;
    },
  ],
  relabelComposite: [
    2,
    async (world, dice) => {
      const composite = dice.one(compositesOf(world));
      const purpose = dice.one(purposes);
      if (composite) await edit(world, composite, { metadata: { labels: { [purposeLabel]: purpose } } });
      return composite && `moves ${called(composite)} to ${purpose}`;
    },
  ],
  pauseComposite: [
    1,
    async (world, dice) => {
      const composite = dice.one(compositesOf(world));
      if (composite) await edit(world, composite, { metadata: { annotations: { "kubewright.dev/paused": "true" } } });
      return composite && `pauses ${called(composite)}`;
    },
  ],
  changeDns: [
    9,
    (world, dice) => {
      const [name, network] = dice.one(dnsNames) ?? ["", ""];
      const answer = answerIn(network, (end) => dice.below(end));
      world.dns.set(name, answer);
      return `the answer for ${name} becomes ${String(answer)}`;
    },
  ],
  editChild: [
    3,
    async (world, dice) => {
      const child = dice.one(rulesOf(world).filter(isChild));
      // An existing field, because the API server would drop any other.
      const field = child?.kind === "CNFRoute" ? "gw" : "dest_ip";
      if (child) await edit(world, child, { spec: { [field]: "10.66.0.1" } });
      return child && `edits the child ${called(child)} by hand`;
    },
  ],
  deleteChild: [
    3,
    async (world, dice) => {
      const child = dice.one(rulesOf(world).filter(isChild));
      if (child) await remove(world, child);
      return child && `deletes the child ${called(child)} by hand`;
    },
  ],
};
