/**
 * Reports whether a string is an IPv4 address: four numbers from 0 to 255. In lenient mode, empty parts are ignored, as in the reference CNF.
 */
export function isIpv4(text: string, lenient: boolean): boolean {
  const parts = text.split(".").filter((part) => !lenient || part !== "");
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}

/** Reports whether a string is an IPv4 address with or without a prefix length. */
export function isIpv4OrCidr(text: string, lenient: boolean): boolean {
  const [address = "", prefix, ...more] = text.split("/");
  if (more.length > 0 || !isIpv4(address, lenient)) return false;
  return prefix === undefined || (/^\d{1,2}$/.test(prefix) && Number(prefix) <= 32);
}
