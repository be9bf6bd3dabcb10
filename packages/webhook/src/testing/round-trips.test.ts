import { defineKind, preserving, type SpokeConversion, spoke, versions } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { roundTrips } from "./round-trips.ts";

const shared = { group: "shop.example.com", kind: "Site", scope: "Namespaced" } as const;
const SiteV1 = defineKind({
  ...shared,
  version: "v1",
  spec: Type.Object({
    host: Type.String({ pattern: "^[a-z]+$", maxLength: 9 }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, default: 80 }),
    note: Type.Optional(Type.String()),
  }),
});
const SiteV1Beta1 = defineKind({
  ...shared,
  version: "v1beta1",
  spec: Type.Object({
    hostPort: Type.String({ pattern: "^[a-z]{1,9}:[1-9][0-9]{0,3}$" }),
    note: Type.Optional(Type.String()),
  }),
});
type V1 = ReturnType<typeof SiteV1.parse>;
type V1Beta1 = ReturnType<typeof SiteV1Beta1.parse>;

const right: SpokeConversion<V1Beta1, V1> = {
  toHub: ({ spec: { hostPort, note } }) => {
    const [host = "", port] = hostPort.split(":");
    return { spec: { host, port: Number(port), note } };
  },
  fromHub: ({ spec: { host, port, note } }) => ({ spec: { hostPort: `${host}:${port}`, note } }),
};
const site = (conversion: SpokeConversion<V1Beta1, V1>) =>
  versions(SiteV1, { spokes: [spoke(SiteV1Beta1, conversion)] });
const small = { where: (object: object) => !("spec" in object) || !/"port":\d{5}/.test(JSON.stringify(object.spec)) };

const failure = (run: () => void): string => {
  try {
    run();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "";
};

describe("round trips", () => {
  it("pass if nothing changes", () => {
    roundTrips(site(right), small);
  });

  it("report the smallest changed object, and the paths", () => {
    const lossy = site({
      ...right,
      fromHub: (object) => ({ spec: { hostPort: `${object.spec.host}:${object.spec.port}` } }),
    });
    const message = failure(() => roundTrips(lossy, { ...small, seed: 1 }));
    expect(message).toMatch(
      /^Site v1 → v1beta1 → v1: the object comes back changed:\n {2}spec\.note: "" became absent\n/,
    );
    expect(message).toContain(
      `The smallest object found:
{
  "apiVersion": "shop.example.com/v1",
  "kind": "Site",
  "metadata": {
    "name": "a",
    "namespace": "default"
  },
  "spec": {
    "host": "a",
    "note": "",
    "port": 80
  }
}`,
    );
    expect(message).toMatch(/Seen after \d+ objects; \{ seed: 1 \} generates the same objects again\.$/);
    expect(failure(() => roundTrips(lossy, { ...small, seed: 1 }))).toBe(message);
  });

  it("report losses on the way from the spoke", () => {
    const lossy = site({
      ...right,
      toHub: (object) => ({ ...right.toHub(object), metadata: { annotations: {} } }),
    });
    expect(failure(() => roundTrips(lossy, small))).toMatch(
      /^Site v1 → v1beta1 → v1: the object comes back changed:\n {2}metadata\.annotations: \{.*\} became absent\n/,
    );
    const spokeOnly = site({
      ...right,
      toHub: ({ spec }) => ({ spec: { host: spec.hostPort.split(":")[0] ?? "", port: 80 } }),
    });
    const onlyDefaults = (object: object): boolean => !/"note"|"port":(?!80\b)/.test(JSON.stringify(object));
    expect(failure(() => roundTrips(spokeOnly, { where: onlyDefaults }))).toMatch(
      /^Site v1beta1 → v1 → v1beta1: the object comes back changed:\n {2}spec\.hostPort: "a:1" became "a:80"\n/,
    );
  });

  it("report an object that does not match the target's schema", () => {
    expect(failure(() => roundTrips(site(right)))).toMatch(
      /^Site v1 → v1beta1 → v1: the result of v1 → v1beta1 does not match the schema of v1beta1: spec\.hostPort: Invalid value: "[a-z]+:10000"/,
    );
  });

  it("report errors of a conversion function", () => {
    const throwing = site({
      ...right,
      toHub: () => {
        throw new RangeError("no port");
      },
    });
    expect(failure(() => roundTrips(throwing, small))).toMatch(
      /^Site v1 → v1beta1 → v1: v1beta1 → v1 fails: RangeError: no port\nThe smallest object found:\n/,
    );
  });

  it("preserve everything if the annotation keeps what the spoke cannot hold", () => {
    const forgetful: SpokeConversion<V1Beta1, V1> = {
      toHub: (object) => right.toHub({ ...object, spec: { hostPort: object.spec.hostPort } }),
      fromHub: ({ spec: { host, port } }) => ({ spec: { hostPort: `${host}:${port}` } }),
    };
    const NoNote = defineKind({
      ...shared,
      version: "v1beta1",
      spec: Type.Object({ hostPort: Type.String({ pattern: "^[a-z]{1,9}:[1-9][0-9]{0,3}$" }) }),
    });
    const kept = versions(SiteV1, { spokes: [spoke(NoNote, preserving(forgetful))] });
    roundTrips(kept, small);
    const lost = versions(SiteV1, { spokes: [spoke(NoNote, forgetful)] });
    expect(failure(() => roundTrips(lost, small))).toContain("spec.note: ");
  });

  it("need two versions, and objects", () => {
    expect(failure(() => roundTrips(versions(SiteV1)))).toBe(
      "roundTrips Site: v1 is the only version, so there is nothing to convert",
    );
    expect(failure(() => roundTrips(versions(SiteV1, { spokes: [] }), { runs: 1 }))).toContain(
      "so there is nothing to convert",
    );
  });
});
