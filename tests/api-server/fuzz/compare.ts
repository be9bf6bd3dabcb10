/*
 * Sends the same seeded requests to the embedded server and to kube-apiserver (KUBEBUILDER_ASSETS), and prints the differences, the most
 * frequent first.
 *
 *   FUZZ_SEED=1 FUZZ_REQUESTS=2000 FUZZ_OPERATIONS=1000 FUZZ_ONLY=<pattern of collections> FUZZ_REMEMBER=<file for the answers of the real
 *   server> npm run test:fuzz-compare
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, request as httpsRequest } from "node:https";
import { Environment, type TestConnection } from "@kubewright/envtest";
import fc from "fast-check";
import { comparable, differences } from "./comparable.ts";
import { comparedOperation } from "./compared-operations.ts";
import { type ComparedRequest, comparedRequest, currentVersion, kinds } from "./compared-requests.ts";
import { siteDefinition } from "./site-definition.ts";
import { templates } from "./templates/all-templates.ts";

interface ReceivedResponse {
  readonly status: number;
  readonly text: string;
  readonly warnings: readonly string[];
}

class Side {
  readonly #connection: TestConnection;
  readonly #agent: Agent;
  readonly #versions = new Map<string, string>();

  constructor(connection: TestConnection) {
    this.#connection = connection;
    const { caData: ca, certData: cert, keyData: key } = connection;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 8, ca, ...(cert ? { cert } : {}), ...(key ? { key } : {}) });
  }

  send(method: string, path: string, contentType: string, body: string): Promise<ReceivedResponse> {
    const { promise, resolve } = Promise.withResolvers<ReceivedResponse>();
    const { hostname, port } = new URL(this.#connection.server);
    const sent = body.replaceAll(
      currentVersion,
      this.#versions.get(path.replace(/(\/status|\/scale)?\?.*/, "")) ?? "1",
    );
    const headers = {
      "content-type": contentType,
      "content-length": Buffer.byteLength(sent),
      "user-agent": "fuzz/1.0",
    };
    const request = httpsRequest({ hostname, port, method, path, agent: this.#agent, headers });
    request.on("error", (error) => resolve({ status: 0, text: String(error), warnings: [] }));
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      const { warning } = response.headers;
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text, warnings: warning ? [warning].flat().sort() : [] }),
      );
    });
    request.end(sent);
    return promise;
  }

  /** Creates the object of every template. */
  async fill(): Promise<Map<string, ReceivedResponse>> {
    const answers = new Map<string, ReceivedResponse>();
    for (const { collection, object } of templates) {
      const one = `${collection}/${object.metadata.name}`;
      const answer = await this.send(
        "POST",
        `${collection}?fieldManager=fuzz`,
        "application/json",
        JSON.stringify(object),
      );
      answers.set(one, answer);
      const { metadata, kind } = JSON.parse(answer.text) as { metadata?: { resourceVersion?: string }; kind: string };
      this.#versions.set(one, metadata?.resourceVersion ?? "1");
      if (answer.status < 300) kinds.set(collection.slice(collection.lastIndexOf("/") + 1), kind);
    }
    for (const { collection, object } of templates) {
      // Controllers inside the server may have written since.
      const one = `${collection}/${object.metadata.name}`;
      const { text } = await this.send("GET", one, "application/json", "");
      this.#versions.set(
        one,
        (JSON.parse(text) as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion ?? "1",
      );
    }
    return answers;
  }

  close(): void {
    this.#agent.destroy();
  }
}

const seed = Number(process.env.FUZZ_SEED ?? 1);
const count = Number(process.env.FUZZ_REQUESTS ?? 2000);
const operations = Number(process.env.FUZZ_OPERATIONS ?? count / 2);
const remember = process.env.FUZZ_REMEMBER ?? "";
const keyOf = ({ method, path, contentType, body }: ComparedRequest): string =>
  [method, path, contentType, body].join(" ");

async function answersOf(assets: string, requests: readonly ComparedRequest[]): Promise<Map<string, ReceivedResponse>> {
  await using env = await Environment.start({ assets, crds: [siteDefinition] });
  const side = new Side(env.connection());
  const answers = await side.fill();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let request = requests[next++]; request; request = requests[next++]) {
      const answer = await side.send(request.method, request.path, request.contentType, request.body);
      answers.set(keyOf(request), answer);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  side.close();
  return answers;
}

interface Cause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

function compared(real: ReceivedResponse, ours: ReceivedResponse): string[] {
  const a = comparable(real.text);
  const b = comparable(ours.text);
  const warnings =
    real.warnings.join() === ours.warnings.join() ? [] : [`warnings: real ${real.warnings} ours ${ours.warnings}`];
  if (real.status !== ours.status && (real.status < 300 || ours.status < 300))
    return [`status real ${messageOf(real, a)} ours ${messageOf(ours, b)}`];
  if (JSON.stringify(a) === JSON.stringify(b)) return warnings;
  const [wanted, got] = [causesOf(a), causesOf(b)];
  if (!wanted || !got)
    return real.status < 300
      ? [...differences(a, b), ...warnings]
      : [`real ${messageOf(real, a)} ours ${messageOf(ours, b)}`];
  if (wanted.length === 1 && got.length === 1 && wanted[0] !== got[0] && (wanted[0]?.length ?? 0) > 300)
    return [`cause ${wanted[0]?.slice(0, 60)} ${around(wanted[0] ?? "", got[0] ?? "")}`];
  const missing = wanted.filter((cause) => !got.includes(cause)).map((cause) => `missing ${cause}`);
  const extra = got.filter((cause) => !wanted.includes(cause)).map((cause) => `extra ${cause}`);
  const found = [...missing, ...extra];
  return found.length > 0 ? [found.join("\n      ")] : [`order or shape: ${differences(a, b).join("; ")}`];
}

/** Returns the first difference of two long texts. */
function around(real: string, ours: string): string {
  const at = Array.from(real).findIndex((character, i) => character !== ours[i]);
  const shown = (text: string): string => text.slice(Math.max(0, at - 60), at + 140);
  return `real ...${shown(real)} ours ...${shown(ours)} ends real ${real.slice(-150)} ours ${ours.slice(-150)}`;
}

const messageOf = ({ status }: ReceivedResponse, body: unknown): string => {
  const { message, reason } = typeof body === "object" && body ? (body as { message?: string; reason?: string }) : {};
  return `${status} ${reason ?? ""} ${message ?? (status < 300 ? "" : JSON.stringify(body))}`.slice(0, 600);
};

function causesOf(body: unknown): string[] | undefined {
  const causes = (body as { details?: { causes?: Cause[] } } | undefined)?.details?.causes;
  return causes?.map(({ reason, field, message }) => `${field} ${reason} ${message}`);
}

const classOf = (text: string): string => text.replaceAll(/"[^"]*"|\b\d+\b|-\d+/g, "*");

if (!process.env.KUBEBUILDER_ASSETS && !remember)
  throw new Error("KUBEBUILDER_ASSETS must name the folder of etcd and kube-apiserver");
const requests = [
  ...fc.sample(comparedRequest, { numRuns: count, seed }),
  ...fc.sample(comparedOperation, { numRuns: operations, seed }),
];
const remembered: Map<string, ReceivedResponse> =
  remember && existsSync(remember)
    ? new Map(JSON.parse(readFileSync(remember, "utf8")) as [string, ReceivedResponse][])
    : await answersOf(process.env.KUBEBUILDER_ASSETS ?? "", requests);
if (remember) writeFileSync(remember, JSON.stringify([...remembered]));
const ours = await answersOf("", requests);

const found = new Map<string, { count: number; example: string; text: string; where: Set<string> }>();
const note = (where: string, example: string, text: string): void => {
  const id = classOf(text);
  const known = found.get(id);
  if (known) {
    known.count++;
    known.where.add(where.split("/").find((step) => /^[a-z]{5,}s$/.test(step) && step !== "namespaces") ?? where);
  } else found.set(id, { count: 1, example: `${where} ${example}`, text, where: new Set() });
};
for (const { collection, object } of templates) {
  const one = `${collection}/${object.metadata.name}`;
  const answer = remembered.get(one);
  if (answer && answer.status >= 300) console.log(`not accepted: ${one}: ${answer.text}`);
  const mine = ours.get(one);
  if (answer && mine) for (const text of compared(answer, mine)) note(collection, `create ${one}`, text);
}
for (const request of requests) {
  const [real, mine] = [remembered.get(keyOf(request)), ours.get(keyOf(request))];
  if (!real || !mine || real.status === 0) continue; // upstream panicked
  const type = request.contentType.replace("application/", "");
  const where = request.path.replace(/\?.*/, "");
  for (const text of compared(real, mine))
    note(
      where.split("/").slice(0, 8).join("/"),
      `${request.method} ${type} ${request.path.match(/Validation=(\w+)/)?.[1]} ${request.change}`,
      text,
    );
}
const sorted = [...found.values()].toSorted((a, b) => b.count - a.count);
for (const { count: times, example, text, where } of sorted)
  console.log(`${times}x ${[...where].slice(0, 8).join(" ")}\n    ${example}\n      ${text}`);
console.log(
  `${sorted.length} distinct differences in ${requests.length} requests, ${sorted.reduce((sum, each) => sum + each.count, 0)} in all (seed ${seed})`,
);
