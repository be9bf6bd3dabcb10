import { defineKind, type ObjectOf, spoke, versions } from "@kubewright/apimachinery";
import { Type } from "typebox";

const common = {
  replicas: Type.Optional(Type.Integer()),
  ports: Type.Array(Type.Object({ name: Type.String(), port: Type.Integer(), protocol: Type.Optional(Type.String()) })),
  settings: Type.Record(Type.String(), Type.String()),
};
const names = { group: "bench.kubewright.dev", kind: "Site", scope: "Namespaced" } as const;

/** The kind of the webhook requests; go/site.go defines it too. */
export const Site = defineKind({ ...names, version: "v1", spec: Type.Object({ image: Type.String(), ...common }) });
export type Site = ObjectOf<typeof Site>;

const SiteBeta = defineKind({
  ...names,
  version: "v1beta1",
  spec: Type.Object({ container: Type.String(), ...common }),
});

/** `Site` with conversions from and to the older version. */
export const Sites = versions(Site, {
  spokes: [
    spoke(SiteBeta, {
      toHub: ({ spec: { container, ...spec }, ...beta }) => ({ ...beta, spec: { image: container, ...spec } }),
      fromHub: ({ spec: { image, ...spec }, ...site }) => ({ ...site, spec: { container: image, ...spec } }),
    }),
  ],
});
