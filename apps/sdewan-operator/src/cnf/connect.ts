import { isRecord } from "@kubewright/apimachinery";
import type { Logger } from "@kubewright/log";
import { isOpenWrtError, OpenWrtClient, type OpenWrtClientOptions } from "@kubewright/openwrt";
import type { UciObject } from "../uci/uci-object.ts";
import type { CnfApi, CnfInterface } from "./cnf-api.ts";
import type { CnfEndpoint } from "./endpoint.ts";

/** Limits for the duration (in milliseconds) and size of CNF responses. Default: the limits of `OpenWrtClient`. */
export type CnfTimeouts = Pick<
  OpenWrtClientOptions,
  "connectTimeoutMs" | "requestTimeoutMs" | "serviceTimeoutMs" | "maxResponseBytes"
>;

/** Options for connections to CNFs: the timeouts in {@link CnfTimeouts}, and the transport for requests. */
export type CnfConnectionOptions = CnfTimeouts & Pick<OpenWrtClientOptions, "transport">;

/** Returns the REST API of the CNF at an endpoint. */
export function connectTo(
  { url, address, password, ca }: CnfEndpoint,
  logger: Logger,
  options: CnfConnectionOptions = {},
): CnfApi {
  const client = new OpenWrtClient({ url, address, password, ca, logger, ...options });
  return {
    collection: (path) => {
      const collection = client.collection<UciObject & { readonly name: string }>(path);
      return {
        list: () => collection.list(),
        get: (name) => collection.get(name),
        create: (object) => collection.create(named(object), { knownAbsent: true }),
        // `update` would first read the object, but the caller has just read it.
        update: (name, object) => collection.put(name, named(object)),
        delete: (name) => collection.delete(name),
      };
    },
    service: (name) => client.service(name),
    interfaces: async () => shownInterfaces(await interfacesOf(client)),
    setInterface: (name, action) => client.interfaces.set(name, action),
    status: (signal) => client.status({ signal }),
    statusOf: (module, signal) => client.statusOf(module, { signal }),
    close: () => client.close(),
  };
}

/** Returns the interfaces of a CNF. A CNF without a collection of interfaces, such as the reference CNF, lists them in its status. */
async function interfacesOf(client: OpenWrtClient): Promise<readonly object[]> {
  try {
    return await client.interfaces.list();
  } catch (error) {
    if (!isOpenWrtError(error, 404)) throw error;
    const status = await client.statusOf("interface");
    return Array.isArray(status) ? status : [];
  }
}

const named = (object: UciObject): UciObject & { readonly name: string } => ({ ...object, name: String(object.name) });

/** Maximum length of each string from a CNF that a status repeats. */
const maxTextLength = 64;
const maxAddresses = 32;
const maxInterfaces = 1_000;

const fields = ["status", "mac_address", "received_packets", "send_packets"] as const;

/** Returns the interfaces in a CNF's response. Omits values that are of the wrong type or implausibly long. */
export function shownInterfaces(response: readonly object[]): readonly CnfInterface[] {
  return response.slice(0, maxInterfaces).flatMap((element) => {
    const values: Readonly<Record<string, unknown>> = isRecord(element) ? element : {};
    if (!isText(values.name)) return [];
    const { ip_address: addresses } = values;
    return [
      {
        name: values.name,
        ...Object.fromEntries(fields.flatMap((field) => (isText(values[field]) ? [[field, values[field]]] : []))),
        ...(Array.isArray(addresses) ? { ip_address: addresses.filter(isText).slice(0, maxAddresses) } : {}),
      },
    ];
  });
}

const isText = (value: unknown): value is string => typeof value === "string" && value.length <= maxTextLength;
