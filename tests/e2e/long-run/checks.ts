import { type DeepReadonly, type KubeObject, keyOf } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { Job, Lease, Pod, ReplicaSet } from "@kubewright/client/kinds";
import { collection } from "../harness/contents.ts";
import { ruleKind } from "../harness/rules.ts";
import type { SimulatedCnfs } from "../harness/simulated-cnfs.ts";
import { isWithin } from "./is-within.ts";
import { cronJobTemplate, operatorTemplates, templates, type WrittenObject } from "./templates.ts";
import { nameOf, type Site, type Written } from "./writer.ts";

/** The state that the checks compare with the record of the clients. */
export interface Checked {
  readonly client: Client;
  readonly cnfs: SimulatedCnfs;
  readonly sites: readonly Site[];
  readonly written: readonly Written[];
}

type Read = DeepReadonly<WrittenObject>;

const minuteMs = 60_000;
/** Maximum time from when a Job is due until it is created. */
const startsWithinMs = 20_000;
/** Kinds of objects that are deleted together with their owners. */
const ownedKinds = [ruleKind("CNFNAT"), ruleKind("CNFRoute"), Job, Pod, ReplicaSet];

/** Returns the differences between the record of the clients and the server, the CNFs and the Jobs. */
export async function differences(checked: Checked): Promise<string[]> {
  const stored = await storedObjects(checked.client);
  return [
    ...wrongInServer(checked, stored),
    ...(await wrongOnCnfs(checked)),
    ...(await wrongJobs(checked, stored)),
    ...(await orphans(checked.client)),
  ];
}

/** Returns all stored objects of the kinds that clients write. */
async function storedObjects(client: Client): Promise<ReadonlyMap<string, Read>> {
  const found = new Map<string, Read>();
  for (const template of templates)
    for (const object of await client.list<WrittenObject>(template.kind))
      found.set(nameOf({ template, namespace: object.metadata.namespace ?? "", name: object.metadata.name }), object);
  return found;
}

function wrongInServer({ written }: Checked, stored: ReadonlyMap<string, Read>): string[] {
  const expected = new Map(written.map((each) => [nameOf(each), each]));
  const problems = [...expected].flatMap(([name, { spec, template }]) => {
    const object = stored.get(name);
    if (spec === undefined) return object ? [`${name} still exists after its deletion`] : [];
    if (!object) return [`${name} is not in the server`];
    if (!isWithin(spec, object.spec))
      return [`${name}: the server has ${JSON.stringify(object.spec)}, but ${JSON.stringify(spec)} was acknowledged`];
    const { state, appliedGeneration } = object.status ?? {};
    const isRule = template !== cronJobTemplate && template.kind.kind !== "CNFService";
    const isInForce = state === "In Sync" && appliedGeneration === object.metadata.generation;
    return !isRule || isInForce ? [] : [`${name} is not in sync: ${JSON.stringify(object.status)}`];
  });
  const isChild = ({ metadata }: Read): boolean => (metadata.ownerReferences ?? []).length > 0;
  const others = [...stored].filter(([name, object]) => !expected.has(name) && !isChild(object));
  return [...problems, ...others.map(([name]) => `${name} exists, but nobody created it`)];
}

async function wrongOnCnfs({ client, cnfs, sites, written }: Checked): Promise<string[]> {
  const problems: string[] = [];
  for (const { namespace } of sites) {
    const pods = await client.list(Pod, { namespace });
    if (pods.length === 0) problems.push(`${namespace} has no CNF`);
    for (const pod of pods) {
      const cnf = cnfs.of(keyOf(pod));
      if (!cnf) problems.push(`no CNF runs in pod ${keyOf(pod)}`);
      for (const path of new Set(operatorTemplates.map(({ onCnf }) => onCnf?.collection ?? ""))) {
        const held = cnf ? collection(cnf, path) : [];
        const wanted = new Map(
          written.flatMap((each) => {
            const { onCnf } = each.template;
            if (each.namespace !== namespace || onCnf?.collection !== path || !each.spec) return [];
            return [[onCnf.nameOf?.(each.name) ?? each.name, onCnf.shows(each.spec)] as const];
          }),
        );
        for (const [name, shown] of wanted) {
          const found = held.filter((object) => object.name === name);
          if (found.length !== 1) problems.push(`CNF of ${namespace}: ${path} has ${found.length} objects ${name}`);
          else if (!isWithin(shown, found[0]))
            problems.push(
              `CNF of ${namespace}: ${path} ${name} is ${JSON.stringify(found[0])}, but should be ${JSON.stringify(shown)}`,
            );
        }
        for (const { name } of held) {
          if (wanted.has(String(name))) continue;
          const deleted = written.find((each) => (each.template.onCnf?.nameOf?.(each.name) ?? each.name) === name);
          const when = deleted ? `was deleted at ${deleted.changedAt}` : "nobody created";
          problems.push(`CNF of ${namespace}: ${path} has ${name}, which ${when}`);
        }
      }
    }
  }
  return problems;
}

async function wrongJobs({ client, written }: Checked, stored: ReadonlyMap<string, Read>): Promise<string[]> {
  const jobs = Map.groupBy(await client.list(Job), ({ metadata }) => metadata.ownerReferences?.[0]?.uid);
  const now = Date.now();
  return written.flatMap((each) => {
    const name = nameOf(each);
    const cronJob = each.template === cronJobTemplate ? stored.get(name) : undefined;
    if (!cronJob || !each.spec) return [];
    const own = jobs.get(cronJob.metadata.uid) ?? [];
    if (each.spec.suspend) return own.length > 0 ? [`${name} is suspended, but has ${own.length} Jobs`] : [];
    const created = Date.parse(cronJob.metadata.creationTimestamp ?? "");
    // The last minute for which the Job must exist by now.
    const due = Math.floor((now - startsWithinMs) / minuteMs) * minuteMs;
    const { lastScheduleTime = "", active = [] } = cronJob.status ?? {};
    const problems: string[] = [];
    if (created < due && !(Date.parse(String(lastScheduleTime)) >= due))
      problems.push(`${name}: its last Job is of ${lastScheduleTime || "no time"}, but one was due since`);
    const ended = own.filter(({ status }) => status?.conditions?.some(({ type }) => type === "Complete"));
    const running = own.filter((job) => !ended.includes(job)).map(({ metadata }) => metadata.name);
    if (ended.length > 2) problems.push(`${name} has ${ended.length} ended Jobs, but keeps 2`);
    const listed = (active as readonly { readonly name: string }[]).map((job) => job.name);
    if (JSON.stringify(listed.toSorted()) !== JSON.stringify(running.toSorted()))
      problems.push(
        `${name}: its status lists ${listed.join(", ") || "no Jobs"}, but ${running.join(", ") || "none"} run`,
      );
    return problems;
  });
}

/** Returns the objects whose owners do not exist. */
async function orphans(client: Client): Promise<string[]> {
  const owned: DeepReadonly<KubeObject>[] = [];
  for (const kind of ownedKinds) owned.push(...(await client.list<KubeObject>(kind)));
  const owners = new Set<string | undefined>(owned.map(({ metadata }) => metadata.uid));
  for (const kind of [...templates.map((template) => template.kind), deploymentKind])
    for (const { metadata } of await client.list<KubeObject>(kind)) owners.add(metadata.uid);
  return owned.flatMap((object) =>
    (object.metadata.ownerReferences ?? [])
      .filter(({ uid, kind }) => !owners.has(uid) && kind !== "Node")
      .map(({ kind, name }) => `${keyOf(object)} is left behind by ${kind} ${name}, which does not exist`),
  );
}

const deploymentKind = { group: "apps", version: "v1", kind: "Deployment" };

/** Returns the names of all Leases. */
export async function leaseNames(client: Client): Promise<string[]> {
  return (await client.list(Lease)).map((lease) => keyOf(lease)).toSorted();
}
