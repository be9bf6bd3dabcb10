import type { ServiceName } from "../uci/cnf-kind.ts";
import type { UciObject } from "../uci/uci-object.ts";

/** A collection in a CNF's REST API. */
export interface CnfCollection {
  list(): Promise<readonly UciObject[]>;
  /** Returns the object with this name. @throws {Error} with code 404 if the object does not exist */
  get(name: string): Promise<UciObject>;
  create(object: UciObject): Promise<unknown>;
  update(name: string, object: UciObject): Promise<unknown>;
  /** Deletes the object with this name. @throws {Error} with code 404 if the object does not exist */
  delete(name: string): Promise<unknown>;
}

/** A network interface as reported by the CNF. */
export interface CnfInterface {
  readonly name: string;
  readonly status?: string;
  readonly mac_address?: string;
  readonly ip_address?: readonly string[];
  readonly received_packets?: string;
  readonly send_packets?: string;
}

/** The state of a part of a CNF's running system. */
export interface CnfModule {
  readonly name: string;
  readonly status?: unknown;
}

/** The part of a CNF's REST API that the operator uses. */
export interface CnfApi {
  /** Returns the collection at a path. @param path path after `sdewan/`, such as `firewall/v1/zones` */
  collection(path: string): CnfCollection;
  service(name: ServiceName): { restart(): Promise<unknown>; reload(): Promise<unknown> };
  interfaces(): Promise<readonly CnfInterface[]>;
  setInterface(name: string, action: "up" | "down"): Promise<unknown>;
  /** Returns the status of all modules. */
  status(signal: AbortSignal): Promise<readonly CnfModule[]>;
  /** Returns the status of one module. */
  statusOf(module: string, signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}
