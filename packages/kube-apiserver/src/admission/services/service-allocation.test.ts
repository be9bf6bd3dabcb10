import { nextTurn } from "@kubewright/clock";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ApiServer } from "../../server/api-server.ts";
import { ApiClient, type ReceivedResponse } from "../../server/testing/api-client.ts";

const services = "/api/v1/namespaces/default/services";

let server: ApiServer;
let api: ApiClient;
beforeEach(async () => {
  /** Like a webhook that is called before the write. */
  const slow = {
    name: "Slow",
    resources: ["services"],
    handles: () => true,
    async validate() {
      for (let turn = 0; turn < 20; turn++) await nextTurn();
    },
  };
  server = await ApiServer.start({ tls: false, admissionPlugins: [slow] });
  api = new ApiClient(server);
});
afterEach(async () => {
  api.close();
  await server.stop();
});

const create = (name: string, spec: object) =>
  api.post(services, { metadata: { name }, spec: { selector: { a: "b" }, ports: [{ port: 80 }], ...spec } });
const many = (spec: object): Promise<ReceivedResponse[]> =>
  Promise.all(Array.from({ length: 12 }, (_, index) => create(`s${index}`, spec)));
const statuses = (answers: readonly ReceivedResponse[]): number[] => answers.map(({ status }) => status).sort();
const oneOfTwelve = [201, ...Array.from({ length: 11 }, () => 422)];

it("allocates an address that twelve request at once to one of them", async () => {
  const answers = await many({ clusterIP: "10.96.7.7" });
  expect(statuses(answers)).toEqual(oneOfTwelve);
  const refused = answers.find(({ status }) => status === 422);
  expect(refused?.body.message).toContain("failed to allocate IP 10.96.7.7: provided IP is already allocated");
});

it("allocates a node port that twelve request at once to one of them", async () => {
  expect(statuses(await many({ type: "NodePort", ports: [{ port: 80, nodePort: 31_234 }] }))).toEqual(oneOfTwelve);
});

it("frees the allocation of a failed write or a deleted Service; a dry run takes none", async () => {
  const spec = { clusterIP: "10.96.7.8" };
  expect((await create("Not_A_Name", spec)).status).toBe(422);
  await api.post(`${services}?dryRun=All`, { metadata: { name: "dry" }, spec: { ports: [{ port: 80 }], ...spec } });
  expect((await create("first", spec)).status).toBe(201);
  await api.delete(`${services}/first`);
  expect((await create("second", spec)).status).toBe(201);
});

it("two writes of one Service do not conflict over its allocation", async () => {
  const { body } = await create("s", { type: "NodePort" });
  delete body.metadata.resourceVersion;
  const answers = await Promise.all([api.put(`${services}/s`, body), api.put(`${services}/s`, body)]);
  expect(statuses(answers)).toEqual([200, 200]);
});
