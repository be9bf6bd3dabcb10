import type { CnfInterface } from "./cnf-api.ts";

/** Maximum length of strings in a status, whatever a CNF returns. */
const longestText = 64;
const mostAddresses = 32;
const mostInterfaces = 1_000;

const fields = ["status", "mac_address", "received_packets", "send_packets"] as const;

/** Returns the interfaces in a CNF's response. Omits values of the wrong type and implausibly long ones. */
export function shownInterfaces(answer: readonly object[]): readonly CnfInterface[] {
  return answer.slice(0, mostInterfaces).flatMap((element) => {
    const values: Readonly<Record<string, unknown>> = { ...element };
    if (!isText(values.name)) return [];
    const { ip_address: addresses } = values;
    return [
      {
        name: values.name,
        ...Object.fromEntries(fields.flatMap((field) => (isText(values[field]) ? [[field, values[field]]] : []))),
        ...(Array.isArray(addresses) ? { ip_address: addresses.filter(isText).slice(0, mostAddresses) } : {}),
      },
    ];
  });
}

const isText = (value: unknown): value is string => typeof value === "string" && value.length <= longestText;
