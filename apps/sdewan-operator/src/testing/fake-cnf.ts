import { OpenWrtError } from "@kubewright/openwrt";
import type { CnfApi, CnfCollection, CnfInterface, CnfModule } from "../cnf/cnf-api.ts";
import type { UciObject } from "../uci/uci-object.ts";

/** A CNF that keeps objects in memory and records every request. */
export class FakeCnf implements CnfApi {
  readonly requests: string[] = [];
  readonly collections = new Map<string, Map<string, UciObject>>();
  /** Called before each request; a returned error is thrown instead of a response. */
  fail: (request: string) => unknown = () => undefined;

  collection(path: string): CnfCollection {
    const objects = this.#objects(path);
    const missing = (name: string): OpenWrtError => new OpenWrtError(404, `{"message":"Cannot find [${name}]"}`);
    return {
      list: async () => {
        this.#note(`GET ${path}`);
        return [...objects.values()];
      },
      get: async (name) => {
        this.#note(`GET ${path}/${name}`);
        const found = objects.get(name);
        if (!found) throw missing(name);
        return found;
      },
      create: async (object) => {
        this.#note(`POST ${path} ${object.name}`);
        objects.set(String(object.name), object);
        return object;
      },
      update: async (name, object) => {
        this.#note(`PUT ${path}/${name}`);
        objects.delete(name); // like the reference CNF, which deletes the object and adds the new one at the end
        objects.set(name, object);
        return object;
      },
      delete: async (name) => {
        this.#note(`DELETE ${path}/${name}`);
        if (!objects.delete(name)) throw missing(name);
      },
    };
  }

  service(name: string) {
    return {
      restart: async () => this.#note(`restart ${name}`),
      reload: async () => this.#note(`reload ${name}`),
    };
  }

  async interfaces(): Promise<readonly CnfInterface[]> {
    return [];
  }

  async setInterface(): Promise<void> {}

  /** The status of the modules. */
  modules: CnfModule[] = [];

  async status(_signal: AbortSignal): Promise<readonly CnfModule[]> {
    this.#note("GET status");
    return this.modules;
  }

  async statusOf(module: string, _signal: AbortSignal): Promise<unknown> {
    this.#note(`GET status/${module}`);
    return this.modules.find(({ name }) => name === module)?.status;
  }

  async close(): Promise<void> {}

  #objects(path: string): Map<string, UciObject> {
    const objects = this.collections.get(path) ?? new Map<string, UciObject>();
    this.collections.set(path, objects);
    return objects;
  }

  #note(request: string): void {
    this.requests.push(request);
    const error = this.fail(request);
    if (error) throw error;
  }
}
