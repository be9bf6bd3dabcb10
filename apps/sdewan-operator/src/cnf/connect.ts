import type { Logger } from "@kubewright/log";
import { OpenWrtClient, type OpenWrtClientOptions } from "@kubewright/openwrt";
import type { UciObject } from "../uci/uci-object.ts";
import type { CnfApi } from "./cnf-api.ts";
import type { CnfEndpoint } from "./endpoint.ts";
import { shownInterfaces } from "./shown-interface.ts";

/** How long a CNF may take, in milliseconds, and how much it may answer. Defaults: those of `OpenWrtClient`. */
export type CnfTimeouts = Pick<
  OpenWrtClientOptions,
  "connectTimeoutMs" | "requestTimeoutMs" | "serviceTimeoutMs" | "maxAnswerBytes"
>;

/** The REST API of the CNF at an endpoint. */
export function connectTo(
  { url, address, password, ca }: CnfEndpoint,
  logger: Logger,
  timeouts: CnfTimeouts = {},
): CnfApi {
  const client = new OpenWrtClient({ url, address, password, ca, logger, ...timeouts });
  return {
    collection: (path) => {
      const collection = client.collection<UciObject & { readonly name: string }>(path);
      return {
        list: () => collection.list(),
        get: (name) => collection.get(name),
        create: (object) => collection.create(named(object), { knownAbsent: true }),
        // An update would look for the object first, which its caller has just done.
        update: (name, object) => collection.put(name, named(object)),
        delete: (name) => collection.delete(name),
      };
    },
    service: (name) => client.service(name),
    interfaces: async () => shownInterfaces(await client.interfaces.list()),
    setInterface: (name, action) => client.interfaces.set(name, action),
    close: () => client.close(),
  };
}

const named = (object: UciObject): UciObject & { readonly name: string } => ({ ...object, name: String(object.name) });
