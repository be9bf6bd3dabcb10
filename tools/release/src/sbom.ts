import { createHash } from "node:crypto";
import { run } from "@kubewright-tools/package-checks/command";

export interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly { readonly license?: { readonly id?: string }; readonly expression?: string }[];
}

/** A bill of materials in CycloneDX. */
export interface Sbom {
  readonly text: string;
  readonly components: readonly Component[];
}

interface CycloneDx {
  readonly metadata: { readonly component: object };
  readonly components: readonly Component[];
}

/**
 * What the packages bring when they are installed, by the lockfile: npm's own bill, with the time of the commit and a serial number made of the
 * content where npm has the moment and a random one, so that the same commit gives the same bytes.
 */
export function billOfMaterials(root: string, names: readonly string[], committedAtSeconds: number): Sbom {
  const workspaces = names.flatMap((name) => ["--workspace", name]);
  const options = ["--sbom-format", "cyclonedx", "--package-lock-only", "--omit", "dev"];
  const bill = JSON.parse(run("npm", ["sbom", ...options, ...workspaces], { cwd: root })) as CycloneDx;
  const metadata = {
    ...bill.metadata,
    timestamp: new Date(committedAtSeconds * 1000).toISOString(),
    component: { ...bill.metadata.component, name: "kubewright" }, // npm takes the folder's name
  };
  const content = { ...bill, serialNumber: "", metadata };
  const digest = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  const text = `${JSON.stringify({ ...content, serialNumber: `urn:uuid:${uuid(digest)}` }, null, 2)}\n`;
  return { text, components: bill.components };
}

/** A UUID of version 8, made of a digest. */
function uuid(hex: string): string {
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, variant + hex.slice(17, 20)];
  return [...parts, hex.slice(20, 32)].join("-");
}

/** A licence's name, or what stands in its place. */
export function licenceOf({ licenses = [] }: Component): string {
  const [first] = licenses;
  return first?.license?.id ?? first?.expression ?? "no licence named";
}
