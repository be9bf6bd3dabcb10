/** A valid object, and the path of its collection. */
export interface Template {
  readonly collection: string;
  readonly object: {
    readonly metadata: { readonly name: string } & Record<string, unknown>;
  } & Record<string, unknown>;
  /** A status for `/status`. */
  readonly status?: Record<string, unknown>;
}

export const metadata = (name: string) => ({ name, labels: { a: "b" }, annotations: { "x.y/z": "1" } });

const groups = { core: "/api/v1", apps: "/apis/apps/v1", batch: "/apis/batch/v1" };

export const inDefault = (group: keyof typeof groups | `/apis/${string}`, resource: string): string =>
  `${group in groups ? groups[group as keyof typeof groups] : group}/namespaces/default/${resource}`;
