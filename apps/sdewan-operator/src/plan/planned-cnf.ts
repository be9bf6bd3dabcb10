import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { OpenWrtError } from "@kubewright/openwrt";
import type { CnfApi, CnfCollection, CnfInterface, CnfModule } from "../cnf/cnf-api.ts";
import { nameOf } from "../cnf/session/change.ts";
import type { SessionPool } from "../cnf/session/session-pool.ts";
import type { ServiceName } from "../uci/cnf-kind.ts";
import type { UciObject } from "../uci/uci-object.ts";

/** References between objects: the CNF refuses an object that refers to a missing one, and keeps an object that another refers to. */
interface Reference {
  readonly from: string;
  readonly fields: readonly string[];
  readonly to: string;
  /** Word for the referenced object in the CNF's messages. */
  readonly word: string;
  readonly code: 400 | 428;
}

const ofZones = { fields: ["src", "dest"], to: "firewall/v1/zones", word: "zone", code: 400 } as const;
const references: readonly Reference[] = [
  { from: "firewall/v1/rules", ...ofZones },
  { from: "firewall/v1/forwardings", ...ofZones },
  { from: "firewall/v1/redirects", ...ofZones },
  { from: "mwan3/v1/rules", fields: ["policy"], to: "mwan3/v1/policies", word: "policy", code: 400 },
  { from: "ipsec/v1/remotes", fields: ["crypto_proposal"], to: "ipsec/v1/proposals", word: "proposal", code: 428 },
];

/** Fields that name interfaces, keyed by path. The CNF refuses an interface that does not exist. */
const interfaceFields: Readonly<Record<string, readonly string[]>> = {
  "networkfirewall/v1/rules": ["src", "dest"],
  "nat/v1/nats": ["src", "dest"],
  "route/v1/routes": ["dev"],
};

/**
 * A stand-in for a real CNF, to which it writes nothing. It reads objects from the CNF and keeps all changes in memory,
 * where later reads see them. It rejects changes that the CNF would reject because of a missing zone, policy, proposal
 * or interface.
 */
export class PlannedCnf implements CnfApi {
  readonly #real: CnfApi;
  readonly #collections = new Map<string, UciObject[]>();
  /** Objects that have been read from the real CNF, keyed by path. */
  readonly before = new Map<string, readonly UciObject[]>();
  /** Services that would restart, in order, such as `reload of firewall`. */
  readonly restarts: string[] = [];
  /** Number of writes to objects at each path. */
  readonly writes = new Map<string, number>();
  /** Reason why the CNF could not be read. */
  failure: unknown;
  #interfaces: ReadonlySet<string> | undefined;

  constructor(real: CnfApi) {
    this.#real = real;
  }

  /** Objects after the changes, keyed by path. */
  get after(): ReadonlyMap<string, readonly UciObject[]> {
    return this.#collections;
  }

  collection(path: string): CnfCollection {
    const without = (objects: UciObject[], name: string): UciObject[] =>
      objects.filter((each) => nameOf(each) !== name);
    const missing = (name: string): OpenWrtError => new OpenWrtError(404, `{"message":"Cannot find [${name}]"}`);
    const put = async (name: string, object: UciObject): Promise<UciObject> => {
      const objects = await this.#objectsAt(path);
      await this.#check(path, object);
      this.#wrote(path, [...without(objects, name), object]);
      return object;
    };
    return {
      list: async () => [...(await this.#objectsAt(path))],
      get: async (name) => {
        const found = (await this.#objectsAt(path)).find((each) => nameOf(each) === name);
        if (!found) throw missing(name);
        return found;
      },
      create: (object) => put(nameOf(object), object),
      update: put,
      delete: async (name) => {
        const objects = await this.#objectsAt(path);
        if (!objects.some((each) => nameOf(each) === name)) throw missing(name);
        await this.#checkUnused(path, name);
        this.#wrote(path, without(objects, name));
      },
    };
  }

  #wrote(path: string, objects: UciObject[]): void {
    this.#collections.set(path, objects);
    this.writes.set(path, (this.writes.get(path) ?? 0) + 1);
  }

  async #objectsAt(path: string): Promise<UciObject[]> {
    const known = this.#collections.get(path);
    if (known) return known;
    const objects = [...(await this.#read(() => this.#real.collection(path).list()))];
    this.before.set(path, objects);
    this.#collections.set(path, objects);
    return objects;
  }

  async #read<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  async #check(path: string, object: UciObject): Promise<void> {
    for (const { fields, to, word, code } of references.filter(({ from }) => from === path))
      for (const field of fields)
        for (const name of namesIn(object[field]))
          if (!(await this.#objectsAt(to)).some((each) => nameOf(each) === name))
            throw refusal(code, `Field[${field}] checked failed: the ${word} ${name} does not exist`);
    for (const field of interfaceFields[path] ?? [])
      for (const name of namesIn(object[field]))
        if (!name.startsWith("#") && !(await this.#hasInterface(name)))
          throw refusal(428, `Field[${field}] checked failed: Invalid interface`);
  }

  async #checkUnused(path: string, name: string): Promise<void> {
    for (const { from, fields, word } of references.filter(({ to }) => to === path)) {
      const users = await this.#objectsAt(from);
      if (users.some((user) => fields.some((field) => namesIn(user[field]).includes(name))))
        throw refusal(400, `${word} ${name} is used`);
    }
  }

  async #hasInterface(name: string): Promise<boolean> {
    this.#interfaces ??= new Set((await this.#read(() => this.#real.interfaces())).map((each) => each.name));
    return name === "lo" || this.#interfaces.has(name);
  }

  service(name: ServiceName) {
    const note = async (action: string): Promise<void> => void this.restarts.push(`${action} of ${name}`);
    return { restart: () => note("restart"), reload: () => note("reload") };
  }

  interfaces(): Promise<readonly CnfInterface[]> {
    return this.#real.interfaces();
  }

  async setInterface(): Promise<void> {}

  status(signal: AbortSignal): Promise<readonly CnfModule[]> {
    return this.#real.status(signal);
  }

  statusOf(module: string, signal: AbortSignal): Promise<unknown> {
    return this.#real.statusOf(module, signal);
  }

  close(): Promise<void> {
    return this.#real.close();
  }
}

/** Reads a CNF through an operator's sessions, which limit the requests to slow CNFs. Rejects all writes. */
export function pooledReads(pool: Pick<SessionPool, "request">, pod: DeepReadonly<Pod>): CnfApi {
  const refuse = (): never => {
    throw new Error("a plan must not write to a CNF");
  };
  return {
    collection: (path) => ({
      list: () => pool.request(pod, (api) => api.collection(path).list()),
      get: (name) => pool.request(pod, (api) => api.collection(path).get(name)),
      create: refuse,
      update: refuse,
      delete: refuse,
    }),
    service: refuse,
    interfaces: () => pool.request(pod, (api) => api.interfaces()),
    setInterface: refuse,
    status: (signal) => pool.request(pod, (api) => api.status(signal)),
    statusOf: (module, signal) => pool.request(pod, (api) => api.statusOf(module, signal)),
    close: async () => {},
  };
}

const refusal = (code: number, message: string): OpenWrtError => new OpenWrtError(code, JSON.stringify({ message }));

const namesIn = (value: unknown): readonly string[] =>
  [value ?? []].flat().flatMap((each) => (typeof each === "string" && each !== "" ? [each] : []));
