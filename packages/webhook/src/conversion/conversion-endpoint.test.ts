import { silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { conversion } from "../conversion.ts";
import { RunningServer } from "../testing/running-server.ts";

it("answers with each object converted, in order, or with the error", async () => {
  const webhook = conversion({
    group: "x.io",
    kind: "Site",
    convert: (object, apiVersion) => ({ ...object, apiVersion }),
  });
  await using server = await RunningServer.start([webhook], { logger: silentLogger });
  const site = (version: string, name: string) => ({ apiVersion: `x.io/${version}`, kind: "Site", metadata: { name } });
  const ask = async (...objects: readonly object[]) => {
    const request = { uid: "7", desiredAPIVersion: "x.io/v2", objects };
    const review = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request };
    return (await server.post("/convert", review)).review.response;
  };
  expect(await ask(site("v1", "a"), site("v1", "b"))).toEqual({
    uid: "7",
    convertedObjects: [site("v2", "a"), site("v2", "b")],
    result: { metadata: {}, status: "Success" },
  });
  expect(await ask(site("v1", "a"), site("v2", "b"))).toMatchObject({
    convertedObjects: [],
    result: { status: "Failure", message: expect.stringContaining("not allowed between same type") },
  });
  expect(server.server.describe().webhooks).toHaveLength(1);
});
