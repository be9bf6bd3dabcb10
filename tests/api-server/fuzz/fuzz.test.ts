import { ApiServer } from "@kubewright/kube-apiserver";
import { createLogger } from "@kubewright/log";
import fc from "fast-check";
import { expect, test } from "vitest";
import { nearlyRight } from "./nearly-right.ts";
import { type FuzzedRequest, fuzzedRequest } from "./requests.ts";
import { Sender } from "./sender.ts";
import { siteDefinition } from "./site-definition.ts";

const seed = Number(process.env.FUZZ_SEED ?? 1);
const requests = Number(process.env.FUZZ_REQUESTS ?? 10_000);
const parallel = 8;

const asText = ({ method, path, headers, body }: FuzzedRequest): string =>
  `${method} ${path} ${JSON.stringify(headers)} ${body.toString("latin1").slice(0, 500)}`;

/*
 * If kube-apiserver answers 500 to a mistake of the client, so does ours, with the same text. Every other failure is logged as a failed
 * request.
 */
test(`the server answers ${requests} requests of all kinds without failing (seed ${seed})`, async () => {
  const failures: string[] = [];
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", onUnhandled);
  const logger = createLogger({
    level: "error",
    destination: { write: (line: string) => void failures.push(line) },
  });
  await using server = await ApiServer.start({ tls: false, crds: [siteDefinition], logger });
  const { server: url, token = "" } = server.connection();
  const sender = new Sender(url, token);
  const all = fc.sample(fc.oneof(fuzzedRequest, nearlyRight), { numRuns: requests, seed });
  const statuses = new Map<number, number>();
  const unanswered: string[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let request = all[next++]; request; request = all[next++]) {
      const logged = failures.length;
      const { status } = await sender.send(request);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 0) unanswered.push(asText(request));
      if (failures.length > logged) failures.push(asText(request));
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  const { status } = await sender.send({
    method: "GET",
    path: "/api/v1/namespaces/default",
    headers: {},
    body: Buffer.alloc(0),
  });
  sender.close();
  process.off("unhandledRejection", onUnhandled);
  console.log(
    `answers by status: ${[...statuses]
      .sort()
      .map(([code, count]) => `${code}: ${count}`)
      .join(", ")}`,
  );
  expect({ failures, unhandled, unanswered, status }).toEqual({
    failures: [],
    unhandled: [],
    unanswered: [],
    status: 200,
  });
  expect(statuses.get(201)).toBeGreaterThan(0);
});
