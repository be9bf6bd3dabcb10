import { recordSpans } from "@kubewright/tracing/testing";
import { expect, it } from "vitest";
import { OpenWrtClient } from "./client.ts";
import { CnfSimulator } from "./testing/index.ts";

const password = "hunter2";

async function started() {
  const cnf = await CnfSimulator.start({
    interfaces: [
      { name: "eth0", ip: "10.244.1.17" },
      { name: "net1", ip: "172.16.70.39" },
    ],
    password,
  });
  const client = new OpenWrtClient({ url: cnf.url, password });
  return {
    cnf,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await cnf.stop();
    },
  };
}

it("creates a span for each call, named after the collection, without the content", async () => {
  await using bed = await started();
  using recording = recordSpans();
  const { client, cnf } = bed;
  await client.mwan3.policies.list();
  await client.mwan3.policies.create({ name: "p", members: [{ interface: "net1", metric: "1", weight: "2" }] });
  await client.services();
  expect(recording.spans.map(({ name, hasEnded }) => [name, hasEnded])).toEqual(
    expect.arrayContaining([
      ["cnf GET mwan3/policies", true],
      ["cnf POST mwan3/policies", true],
      ["cnf GET services", true],
    ]),
  );
  const { hostname, port, origin } = new URL(cnf.url);
  expect(recording.spans[0]).toMatchObject({ tracer: "@kubewright/openwrt", kind: 2, status: { code: 0 } });
  expect(recording.spans[0]?.attributes).toEqual({
    "http.request.method": "GET",
    "http.response.status_code": 200,
    "server.address": hostname,
    "server.port": Number(port),
    "url.full": `${origin}/cgi-bin/luci/sdewan/mwan3/v1/policies`,
  });
  expect(JSON.stringify(recording.spans)).not.toMatch(/hunter2|sysauth|members/);
});

it("records refusals", async () => {
  await using bed = await started();
  using recording = recordSpans();
  await expect(bed.client.mwan3.policies.get("none")).rejects.toThrow();
  expect(recording.named("cnf GET mwan3/policies")).toMatchObject([
    { attributes: { "error.type": "OpenWrtError" }, status: { code: 2 }, hasEnded: true },
  ]);
});

it("records a call over another transport than the network", async () => {
  using recording = recordSpans();
  const client = new OpenWrtClient({
    url: "https://10.244.1.17:8443",
    password,
    transport: () => ({
      send: async ({ path }) =>
        path === ""
          ? { status: 302, contentType: "", cookies: ["sysauth=0123456789abcdef; path=/cgi-bin/luci/"], body: "" }
          : { status: 200, contentType: "application/json", cookies: [], body: '{"services":["mwan3"]}' },
      close: async () => {},
    }),
  });
  expect(await client.services()).toEqual(["mwan3"]);
  expect(recording.named("cnf GET services")).toMatchObject([
    {
      attributes: {
        "server.address": "10.244.1.17",
        "server.port": 8443,
        "url.full": "https://10.244.1.17:8443/cgi-bin/luci/sdewan/v1/services",
      },
    },
  ]);
  await client.close();
});
