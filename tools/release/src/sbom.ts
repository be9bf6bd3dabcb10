import { createHash } from "node:crypto";
import { run } from "@kubewright-tools/package-checks/command";

export interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly { readonly license?: { readonly id?: string }; readonly expression?: string }[];
}

/** A bill of materials in the CycloneDX format. */
export interface Sbom {
  readonly text: string;
  readonly components: readonly Component[];
}

interface CycloneDx {
  readonly metadata: { readonly component: object };
  readonly components: readonly Component[];
}

/**
 * Returns npm's bill of materials for the dependencies of the packages, according to the lockfile. The time of the commit and a serial
 * number derived from the content replace npm's current time and random number, so that the same commit gives the same bytes.
 */
export function billOfMaterials(root: string, names: readonly string[], committedAtSeconds: number): Sbom {
  const workspaces = names.flatMap((name) => ["--workspace", name]);
  const options = ["--sbom-format", "cyclonedx", "--package-lock-only", "--omit", "dev"];
  const bill = JSON.parse(run("npm", ["sbom", ...options, ...workspaces], { cwd: root })) as CycloneDx;
  const metadata = {
    ...bill.metadata,
    timestamp: new Date(committedAtSeconds * 1000).toISOString(),
    component: { ...bill.metadata.component, name: "kubewright" }, // npm uses the folder's name
  };
  const content = { ...bill, serialNumber: "", metadata };
  const digest = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  const text = `${JSON.stringify({ ...content, serialNumber: `urn:uuid:${uuid(digest)}` }, null, 2)}\n`;
  return { text, components: bill.components };
}

/** Returns a version 8 UUID derived from a digest. */
function uuid(hex: string): string {
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, variant + hex.slice(17, 20)];
  return [...parts, hex.slice(20, 32)].join("-");
}

/** Returns the name of the licence or a placeholder. */
export function licenceOf({ licenses = [] }: Component): string {
  const [first] = licenses;
  return first?.license?.id ?? first?.expression ?? "unknown licence";
}
