import type { Validator } from "../field-table.ts";
import { interfaceExists, resolveInterface } from "../interface-alias.ts";
import { LuaError, Refusal } from "../response.ts";
import { ipv4, ipv4OrCidr, oneOf } from "../validators.ts";
import type { ResourceDefinition } from "./definition.ts";
import { option } from "./network-firewall-rules.ts";

const destination: Validator = (value, cnf) => value === "default" || ipv4OrCidr(value, cnf);

/** Routes, set directly in the kernel. */
export const routes: ResourceDefinition = {
  module: "route",
  collection: "routes",
  type: "route",
  config: "route-cnf",
  ownsConfig: true,
  sectionType: "route",
  named: false,
  fields: [
    { name: "name", mandatory: true },
    { name: "dst", mandatory: true, check: destination, text: "Invalid Destination IP Address" },
    { name: "src", check: ipv4, text: "Invalid Source IP Address" },
    { name: "gw", check: ipv4, text: "Invalid Gateway IP Address" },
    { name: "dev" },
    { name: "dev_val" },
    { name: "table", check: oneOf("default", "cnf"), text: "Bad route table" },
  ],
  check(record, cnf) {
    if (!cnf.quirks && record.dev === undefined) throw new Refusal(400, "Field[dev] checked failed: required");
    const name = resolveInterface(record.dev, cnf);
    if (name === undefined || !interfaceExists(name, cnf)) {
      throw new Refusal(428, "Field[dev] checked failed: Invalid interface");
    }
    record.dev_val = name;
  },
  commands({ dst, src, gw, dev_val, table }, operation) {
    if (dst === undefined) throw new LuaError("route_rest", 93, "attempt to concatenate local 'dst' (a nil value)");
    const verb = operation === "add" ? "add" : "del";
    const inTable = table === "cnf" ? ["table", "40"] : [];
    const words = [String(dst), ...option("via", gw), ...option("dev", dev_val), ...option("src", src)];
    return [["ip", "route", verb, ...inTable, ...words]];
  },
};
