import { FakeClock, SeededRandom } from "@kubewright/clock/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ApiClient } from "./testing/api-client.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  ...more,
});

describe("ApiServer", () => {
  let server: ApiServer;
  let api: ApiClient;
  beforeAll(async () => {
    server = await ApiServer.start({ tls: false });
    api = new ApiClient(server);
  });
  afterAll(async () => {
    api.close();
    await server.stop();
  });

  it("has the system's namespaces and the service of the API server", async () => {
    const { body } = await api.get("/api/v1/namespaces");
    expect(body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual([
      "default",
      "kube-node-lease",
      "kube-public",
      "kube-system",
    ]);
    expect((await api.get("/api/v1/namespaces/default/services/kubernetes")).body.spec.clusterIP).toBe("10.96.0.1");
  });

  it("creates, reads, replaces and deletes", async () => {
    const created = await api.post(configMaps, configMap("one", { data: { a: "1" } }));
    expect(created.status).toBe(201);
    expect(created.body.metadata).toMatchObject({ name: "one", namespace: "default", uid: expect.any(String) });
    const replaced = await api.put(`${configMaps}/one`, { ...created.body, data: { a: "2" } });
    expect(replaced.body.data).toEqual({ a: "2" });
    const stale = await api.put(`${configMaps}/one`, created.body);
    expect(stale.body).toMatchObject({
      code: 409,
      reason: "Conflict",
      message:
        'Operation cannot be fulfilled on configmaps "one": the object has been modified; please apply your changes to the latest version and try again',
    });
    const deleted = await api.delete(`${configMaps}/one`);
    expect(deleted.body).toMatchObject({
      kind: "Status",
      status: "Success",
      details: { name: "one", kind: "configmaps" },
    });
    expect((await api.get(`${configMaps}/one`)).body.message).toBe('configmaps "one" not found');
  });

  it("generates names and drops fields that only the server sets", async () => {
    const { body } = await api.post(configMaps, {
      metadata: {
        generateName: "gen-",
        uid: "x",
        creationTimestamp: "2000-01-01T00:00:00Z",
        deletionTimestamp: "2000-01-01T00:00:00Z",
      },
    });
    expect(body.metadata.name).toMatch(/^gen-[b-z2-9]{5}$/);
    expect(body.metadata.uid).not.toBe("x");
    expect(body.metadata.creationTimestamp).not.toContain("2000");
    expect(body.metadata.deletionTimestamp).toBeUndefined();
  });

  it("rejects invalid objects, with every cause", async () => {
    const { body } = await api.post(configMaps, configMap("Bad_Name"));
    expect(body).toMatchObject({
      code: 422,
      reason: "Invalid",
      details: { kind: "ConfigMap", causes: [{ field: "metadata.name" }] },
    });
    expect((await api.post("/api/v1/namespaces/nope/configmaps", configMap("x"))).body.message).toBe(
      'namespaces "nope" not found',
    );
    expect(
      (await api.post(configMaps, configMap("x", { metadata: { name: "x", namespace: "other" } }))).body.message,
    ).toBe("the namespace of the provided object does not match the namespace sent on the request");
    expect((await api.delete("/api/v1/namespaces/default")).body.message).toBe(
      'namespaces "default" is forbidden: this namespace may not be deleted',
    );
  });

  it("warns about unknown fields, or rejects them, as requested", async () => {
    const warned = await api.post(`${configMaps}?dryRun=All`, configMap("w", { bogus: 1 }));
    expect(warned.headers.warning).toBe('299 - "unknown field \\"bogus\\""');
    const strict = await api.post(`${configMaps}?fieldValidation=Strict`, configMap("w", { bogus: 1 }));
    expect(strict.body.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "bogus"',
    );
    const ignored = await api.post(`${configMaps}?dryRun=All&fieldValidation=Ignore`, configMap("w", { bogus: 1 }));
    expect(ignored.headers.warning).toBeUndefined();
  });

  it("patches in four ways and tracks managers", async () => {
    await api.post(`${configMaps}?fieldManager=maker`, configMap("p", { data: { a: "1", b: "1" } }));
    const path = `${configMaps}/p`;
    expect((await api.patch(path, "json", [{ op: "remove", path: "/data/a" }])).body.data).toEqual({ b: "1" });
    expect((await api.patch(path, "merge", { data: { c: "1" } })).body.data).toEqual({ b: "1", c: "1" });
    expect((await api.patch(path, "strategic-merge", { data: { b: null } })).body.data).toEqual({ c: "1" });
    const conflict = await api.patch(`${path}?fieldManager=me`, "apply", configMap("p", { data: { c: "2" } }));
    expect(conflict.body).toMatchObject({ code: 409, reason: "Conflict" });
    const forced = await api.patch(`${path}?fieldManager=me&force=true`, "apply", configMap("p", { data: { c: "2" } }));
    expect(forced.body.metadata.managedFields[0]).toMatchObject({
      manager: "me",
      operation: "Apply",
      fieldsV1: { "f:data": { "f:c": {} } },
    });
    const failed = await api.patch(path, "json", [{ op: "test", path: "/data/c", value: "no" }]);
    expect(failed.body).toMatchObject({ code: 422, details: {} });
    const created = await api.patch(`${configMaps}/applied?fieldManager=me`, "apply", configMap("applied"));
    expect(created.status).toBe(201);
  });

  it("keeps objects until their finalizers are removed", async () => {
    await api.post(configMaps, configMap("f", { metadata: { name: "f", finalizers: ["example.com/x"] } }));
    const going = await api.delete(`${configMaps}/f`);
    expect(going.body.metadata).toMatchObject({ deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 0 });
    const added = await api.patch(`${configMaps}/f`, "merge", {
      metadata: { finalizers: ["example.com/x", "example.com/y"] },
    });
    expect(added.body.message).toContain('found new finalizers []string{"example.com/y"}');
    await api.patch(`${configMaps}/f`, "merge", { metadata: { finalizers: null } });
    expect((await api.get(`${configMaps}/f`)).status).toBe(404);
  });

  it("writes nothing in a dry run", async () => {
    const { body, status } = await api.post(`${configMaps}?dryRun=All`, configMap("dry"));
    expect([status, body.metadata.resourceVersion]).toEqual([201, undefined]);
    expect((await api.get(`${configMaps}/dry`)).status).toBe(404);
    expect((await api.post(`${configMaps}?dryRun=Foo`, configMap("dry"))).body.message).toBe(
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Foo"]: supported values: "All"',
    );
  });

  it("returns tables and only metadata", async () => {
    await api.post(configMaps, configMap("t", { data: { a: "1" } }));
    const table = await api.get(`${configMaps}/t`, {
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
    });
    expect(table.body).toMatchObject({
      kind: "Table",
      rows: [{ cells: ["t", 1, expect.any(String)], object: { kind: "PartialObjectMetadata" } }],
    });
    const partial = await api.get(configMaps, {
      headers: { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" },
    });
    expect(partial.body.kind).toBe("PartialObjectMetadataList");
    expect(partial.body.items[0].data).toBeUndefined();
  });

  it("answers unknown paths, resources and methods as upstream does", async () => {
    expect((await api.get("/nope")).text).toBe("404 page not found\n");
    expect((await api.get("/api/v1/nopes")).body).toMatchObject({ code: 404, details: {} });
    expect((await api.put(configMaps, {})).body).toMatchObject({ code: 405, reason: "MethodNotAllowed" });
    expect((await api.get(configMaps, { headers: { accept: "text/html" } })).status).toBe(406);
  });

  it("rejects invalid credentials, never treating them as anonymous", async () => {
    const { body } = await api.get("/version", { headers: { authorization: "Bearer nope" } });
    expect(body).toMatchObject({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
  });

  it("answers reviews", async () => {
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const { body } = await api.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", review);
    expect(body.status.userInfo).toEqual({ username: "admin", groups: ["system:masters", "system:authenticated"] });
  });
});

it("generates the same UIDs, names, addresses and tokens for the same seed", async () => {
  const generated = async (seed: number) => {
    await using server = await ApiServer.start({ tls: false, clock: new FakeClock(), random: new SeededRandom(seed) });
    const api = new ApiClient(server);
    const service = { metadata: { generateName: "web-" }, spec: { type: "NodePort", ports: [{ port: 80 }] } };
    const [{ body: namespace }, { body: made }] = [
      await api.get("/api/v1/namespaces/default"),
      await api.post("/api/v1/namespaces/default/services", service),
    ];
    const account = { metadata: { name: "robot" } };
    await api.post("/api/v1/namespaces/default/serviceaccounts", account);
    const request = { spec: {} };
    const { body: reply } = await api.post("/api/v1/namespaces/default/serviceaccounts/robot/token", request);
    const id = JSON.parse(Buffer.from(reply.status.token.split(".")[1], "base64url").toString()).jti;
    api.close();
    return { user: server.connection().token, namespace, made, id };
  };
  const [one, same, other] = [await generated(1), await generated(1), await generated(2)];
  expect(same).toEqual(one);
  expect(one.made.spec.ports[0].nodePort).toBeGreaterThan(0);
  const values = ({ user, namespace, made, id }: typeof one) => [
    ...[user, namespace.metadata.uid, made.metadata.uid, made.metadata.name, made.spec.clusterIP, id],
  ];
  expect(values(other).filter((value, i) => value === values(one)[i])).toEqual([]);
});

it("keeps the version of an object if the same configuration is applied again, also with values that are not stored", async () => {
  const clock = new FakeClock();
  await using server = await ApiServer.start({ tls: false, clock });
  const api = new ApiClient(server);
  const volume = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "data", annotations: {} },
    spec: {
      storageClassName: "",
      accessModes: ["ReadWriteMany"],
      capacity: { storage: "1Gi" },
      hostPath: { path: "/" },
    },
  };
  const path = "/api/v1/persistentvolumes/data?fieldManager=one";
  const { status, body: created } = await api.patch(path, "apply", volume);
  await clock.advance(2_000);
  const { body: same } = await api.patch(path, "apply", volume);
  const { body: other } = await api.patch(path, "apply", { ...volume, spec: { ...volume.spec, mountOptions: ["ro"] } });
  api.close();
  expect(status).toBe(201);
  expect(same).toEqual(created);
  expect(other.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
});
