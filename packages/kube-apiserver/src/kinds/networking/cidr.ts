import { BlockList, isIPv4, isIPv6 } from "node:net";
import { type FieldError, type FieldPath, fieldError } from "@kubewright/apimachinery";

/** Reports whether a string consists of an IP address and a prefix length. */
function isCidr(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return (isIPv4(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128);
}

/** Checks that a value is set and is a network in CIDR notation. */
export function cidrErrors(text: string | undefined, at: FieldPath): FieldError[] {
  if (!text) return [fieldError.required(at)];
  if (isCidr(text)) return [];
  return [fieldError.invalid(at, text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")];
}

/** Reports whether the network `inner` is a proper subset of the network `outer`. */
export function isInCidr(inner: string, outer: string): boolean {
  const [address = "", bits = "0"] = inner.split("/");
  const [network = "", most = "0"] = outer.split("/");
  if (isIPv4(address) !== isIPv4(network)) return false;
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(network, Number(most), family);
  return list.check(address, family) && Number(most) < Number(bits);
}
