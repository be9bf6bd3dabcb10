import { isIpv4, isIpv4OrCidr } from "./addresses.ts";
import type { Cnf } from "./cnf.ts";
import { luaType, type Validator } from "./field-table.ts";
import { interfaceExists } from "./interface-alias.ts";
import { luaNumber } from "./lua-number.ts";
import { LuaError } from "./response.ts";

export const ipv4: Validator = (value, cnf) => isIpv4(text(value, cnf), cnf.quirks);

export const ipv4OrCidr: Validator = (value, cnf) => isIpv4OrCidr(text(value, cnf), cnf.quirks);

/** Matches an address or network, optionally preceded by `!`. */
export const maskedNetwork: Validator = (value, cnf) => isIpv4OrCidr(text(value, cnf).replace(/^!/, ""), cnf.quirks);

export function oneOf(...members: readonly string[]): Validator {
  return (value) => typeof value === "string" && members.includes(value);
}

/** Matches a whole number above `bound`, as text. The reference CNF also accepts hexadecimal numbers and exponents. */
export function wholeNumberAbove(bound: number, highest = Number.POSITIVE_INFINITY): Validator {
  return (value, cnf) => {
    if (typeof value !== "string") return false;
    if (!cnf.quirks) return /^-?\d+$/.test(value) && Number(value) > bound && Number(value) <= highest;
    const number = luaNumber(value);
    return Number.isInteger(number) && number > bound;
  };
}

export const positive: Validator = wholeNumberAbove(0);
export const port: Validator = wholeNumberAbove(0, 65_535);

export const mac: Validator = (value) => typeof value === "string" && /^[\da-fA-F]{2}(:[\da-fA-F]{2}){5}$/.test(value);

export const fwmark: Validator = (value) => {
  const written = String(value);
  if (!/^\s*[-+]?(0[xX])?[\da-fA-F]+\s*$/.test(written)) return "not a number";
  return written.length <= 10 || "too large";
};

/** Matches a mark with an optional mask, as accepted by iptables. The reference CNF accepts any value. */
export const iptablesMark: Validator = (value, cnf) =>
  cnf.quirks || /^!?(0[xX][\da-fA-F]{1,8}|\d{1,10})(\/(0[xX][\da-fA-F]{1,8}|\d{1,10}))?$/.test(String(value));

export const flag: Validator = oneOf("0", "1");
export const yesOrNo: Validator = oneOf("yes", "no");
export const protocol: Validator = oneOf("tcp", "udp", "tcpudp", "udplite", "icmp", "esp", "ah", "sctp", "all");
export const addressFamily: Validator = oneOf("ipv4", "ipv6", "any");
export const policyOfZone: Validator = oneOf("ACCEPT", "REJECT", "DROP");

/** Matches the name of an existing interface. */
export const existingInterface: Validator = (value, cnf) => interfaceExists(String(value), cnf);

/** Returns the text that Lua's string functions see for a value. */
function text(value: unknown, cnf: Cnf): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (!cnf.quirks) return "";
  throw new LuaError("utils", 65, `bad argument #1 to 'gmatch' (string expected, got ${luaType(value)})`);
}
