import { networksAnnotation } from "../api/group.ts";
import { interfaceNamePattern } from "../api/values.ts";

/** A network attached to a CNF's pods. */
export interface AttachedNetwork {
  readonly name: string;
  readonly interface: string;
  readonly ipAddress?: string;
  readonly defaultGateway: boolean;
}

/**
 * Returns the networks listed in an annotation. Booleans may be JSON booleans or strings.
 *
 * @throws {Error} if the annotation is missing or is not the expected JSON document
 */
export function attachedNetworks(annotations: Readonly<Record<string, string>> | undefined): AttachedNetwork[] {
  const text = annotations?.[networksAnnotation];
  if (text === undefined || text.trim() === "") throw new Error(`The CNF pod has no annotation ${networksAnnotation}`);
  const entries = entriesOf(parsed(text));
  if (!entries) throw new Error(`Annotation ${networksAnnotation}: "interface" is not a list of objects`);
  return entries.map((entry) => ({
    name: String(entry.name ?? ""),
    interface: String(entry.interface ?? ""),
    defaultGateway: String(entry.defaultGateway) === "true",
    ...(typeof entry.ipAddress === "string" ? { ipAddress: entry.ipAddress } : {}),
  }));
}

/**
 * Returns the interface of the first network with the given name.
 *
 * @throws {Error} if no network has the name (with the reference operator's message), or if the interface name in the annotation is not
 *   valid
 */
export function interfaceOfNetwork(networks: readonly AttachedNetwork[], name: string): string {
  const found = networks.find((network) => network.name === name);
  if (!found) throw new Error(`No matched network in annotation: ${name}`);
  if (found.interface === "" || !interfaceName.test(found.interface)) {
    const shown = JSON.stringify(found.interface.slice(0, maxShownLength));
    throw new Error(
      `Annotation ${networksAnnotation}: the interface of the network ${name} is ${shown}, which is not the name of an interface; correct it`,
    );
  }
  return found.interface;
}

const interfaceName = new RegExp(interfaceNamePattern);
const maxShownLength = 64;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`Annotation ${networksAnnotation} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

function entriesOf(document: unknown): Record<string, unknown>[] | undefined {
  if (!isRecord(document) || !Array.isArray(document.interface)) return undefined;
  return document.interface.every(isRecord) ? document.interface : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
