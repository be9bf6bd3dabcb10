import { ApiServer } from "@kubewright/kube-apiserver";
import { createLogger } from "@kubewright/log";
import fc from "fast-check";
import { expect, test } from "vitest";
import { nearlyRight } from "./nearly-right.ts";
import { type FuzzedRequest, fuzzedRequest } from "./requests.ts";
import { Sender } from "./sender.ts";
import { siteDefinition } from "./site-definition.ts";

const seed = Number(process.env.FUZZ_SEED ?? 1);
/** Number of requests over each way. The default has fewer over sockets, because those take longer and test the same handlers. */
const numberOf = (usual: number): number => Number(process.env.FUZZ_REQUESTS ?? usual);

const asText = ({ method, path, headers, body }: FuzzedRequest): string =>
  `${method} ${path} ${JSON.stringify(headers)} ${body.toString("latin1").slice(0, 500)}`;

/*
 * If kube-apiserver answers 500 to a mistake of the client, so does ours, with the same text. Every other failure is logged as a failed
 * request.
 */
test.each([
  { way: "over sockets", listen: true, requests: numberOf(2_500), seed: seed + 1, parallel: 8 },
  { way: "in-process", listen: false, requests: numberOf(10_000), seed, parallel: 32 },
])(
  "the server answers $requests requests of all kinds without failing, $way (seed $seed)",
  async ({ listen, requests, seed, parallel }) => {
    const failures: string[] = [];
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", onUnhandled);
    const logger = createLogger({
      level: "error",
      destination: { write: (line: string) => void failures.push(line) },
    });
    await using server = await ApiServer.start({ listen, tls: false, crds: [siteDefinition], logger });
    const sender = new Sender(server.connection());
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
  },
);
