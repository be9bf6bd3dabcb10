import type { DnsResult } from "../network/dns.ts";

type Fields = Readonly<Record<string, string>>;

export interface WantedChild {
  readonly kind: "CNFNAT" | "CNFRoute";
  readonly name: string;
  readonly spec: Fields;
}

/** A composite as users write it, and its expected children, written by hand instead of using the operator's own conversion. */
export interface CompositeTemplate {
  readonly kind: string;
  /** Prefix of the objects' names. Users also create objects with the names of children. */
  readonly prefix: string;
  spec(variant: number, name: string): Fields;
  /** Returns the names to resolve. */
  names(spec: Fields): readonly string[];
  /**
   * Returns all acceptable results: any of several addresses may be used.
   *
   * @param found the addresses of its names, in the same order
   */
  children(name: string, spec: Fields, found: readonly (readonly string[])[]): readonly (readonly WantedChild[])[];
  /** True if the children are deleted when the name does not exist. */
  readonly losesChildren: boolean;
}

const serviceNames = ["web.example", "db.example", "far.example"];
/** A CNF cannot have two routes to one address, so each site has its own name. */
const siteName = (name: string): string => `${name}.example`;
/** The existing names, and the common prefix of their addresses. */
export const dnsNames: readonly (readonly [name: string, network: string])[] = [
  ...serviceNames.map((name) => [name, "10.96.0"] as const),
  [siteName("site-a"), "10.97.0"],
  [siteName("site-b"), "10.98.0"],
];
/** The address of every CNF's first attached interface, and of a tunnel. */
const devicePip = "10.20.0.2";
export const hubIp = "10.9.9.9";

const nameAt = (variant: number): string => serviceNames[variant % serviceNames.length] as string;

/** Returns a port that the other composite of the kind never has, so that their rules are never equal. */
const portOf = (first: number, variant: number, name: string): string =>
  `${first + variant + (name.endsWith("a") ? 0 : 10)}`;

const numeric = (addresses: readonly string[]): string[] =>
  addresses.toSorted((a, b) => Number(a.split(".")[3]) - Number(b.split(".")[3]));

export const compositeTemplates: readonly CompositeTemplate[] = [
  {
    kind: "CNFService",
    prefix: "svc",
    losesChildren: true,
    spec: (variant, name) => ({
      fullname: nameAt(variant),
      port: portOf(2_000, variant, name),
      dport: variant % 2 ? "80" : "",
    }),
    names: ({ fullname = "" }) => [fullname],
    children: (name, { port = "", dport = "" }, [addresses = []]) =>
      addresses.map((dest_ip) => [
        {
          kind: "CNFNAT",
          name: `${name}nat`,
          spec: { src_dport: port, dest_ip, dest_port: dport, index: "2", proto: "tcp", target: "DNAT" },
        },
      ]),
  },
  {
    kind: "CNFLocalService",
    prefix: "svc",
    losesChildren: false,
    spec: (variant, name) => ({
      localservice: nameAt(variant),
      localport: "8080",
      remoteservice: nameAt(variant + 1),
      remoteport: portOf(3_000, variant, name),
    }),
    names: ({ localservice = "", remoteservice = "" }) => [localservice, remoteservice],
    children: (name, { localport = "", remoteport = "" }, [local = [], remote = []]) => [
      numeric(remote).map((src_dip, index) => ({
        kind: "CNFNAT",
        name: `${name}nat${index}`,
        spec: {
          src_dip,
          src_dport: remoteport,
          dest_ip: numeric(local)[0] ?? "",
          dest_port: localport,
          proto: "tcp",
          target: "DNAT",
        },
      })),
    ],
  },
  {
    kind: "CNFHubSite",
    prefix: "site",
    losesChildren: false,
    spec: (variant, name) => ({
      type: variant % 2 ? "Hub" : "Device",
      site: siteName(name),
      ...(variant % 3 === 0 ? { subnet: `10.77.${name.endsWith("a") ? variant : 100 + variant}.0/24` } : {}),
      hubip: hubIp,
      devicepip: devicePip,
    }),
    names: ({ site = "" }) => [site],
    children: (name, { type, subnet, hubip, devicepip = "" }, [addresses = []]) => {
      const destinations = [...(subnet ? [subnet] : []), ...numeric(addresses)];
      const via: Fields =
        type === "Hub" ? { dev: `vti_${hubip}`, table: "default" } : { dev: `#${devicepip}`, table: "cnf" };
      const routes = destinations.map(
        (dst, index): WantedChild => ({ kind: "CNFRoute", name: `${name}route${index}`, spec: { dst, ...via } }),
      );
      if (type === "Hub") return [routes];
      const snats = destinations.map(
        (dest_ip, index): WantedChild => ({
          kind: "CNFNAT",
          name: `${name}snat${index}`,
          spec: { dest_ip, dest: "#source", src_dip: devicepip, index: "1", target: "SNAT" },
        }),
      );
      return [[...routes, ...snats]];
    },
  },
];

/** Returns the addresses of a name, if any. */
export const addressesIn = (answer: DnsResult): readonly string[] | undefined =>
  typeof answer === "string" ? undefined : answer;
