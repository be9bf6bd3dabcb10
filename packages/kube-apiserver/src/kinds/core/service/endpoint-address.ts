import { BlockList, isIP } from "node:net";
import { type FieldError, type FieldPath, fieldError } from "@kubewright/apimachinery";

const ranges: readonly (readonly [text: string, subnets: readonly (readonly [string, number, "ipv4" | "ipv6"])[]])[] = [
  [
    "may not be in the loopback range (127.0.0.0/8, ::1/128)",
    [
      ["127.0.0.0", 8, "ipv4"],
      ["::1", 128, "ipv6"],
    ],
  ],
  [
    "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
    [
      ["169.254.0.0", 16, "ipv4"],
      ["fe80::", 10, "ipv6"],
    ],
  ],
  [
    "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
    [
      ["224.0.0.0", 24, "ipv4"],
      ["ff02::", 16, "ipv6"],
    ],
  ],
];
const lists = ranges.map(([text, subnets]) => {
  const list = new BlockList();
  for (const [address, bits, family] of subnets) list.addSubnet(address, bits, family);
  return { text, list };
});

/**
 * Returns an error for an address that other machines cannot reach, such as a loopback address.
 *
 * @see pkg/apis/core/validation ValidateEndpointIP
 */
export function endpointAddressErrors(ip: string, at: FieldPath): FieldError[] {
  const version = isIP(ip);
  if (version === 0) return [fieldError.invalid(at, ip, "must be a valid IP address")];
  const family = version === 4 ? "ipv4" : "ipv6";
  return [
    ...(ip === "0.0.0.0" || ip === "::" ? [fieldError.invalid(at, ip, `may not be unspecified (${ip})`)] : []),
    ...lists.filter(({ list }) => list.check(ip, family)).map(({ text }) => fieldError.invalid(at, ip, text)),
  ];
}
