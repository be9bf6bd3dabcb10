import type { Environment } from "@kubewright/envtest";
import { type ComparedResponse, normalise, parseBody } from "./compared-response.ts";
import { Normaliser } from "./normaliser.ts";
import { fillIn, spellOut } from "./placeholders.ts";
import type { RequestStep, Sequence } from "./sequence.ts";
import { type RawResponse, Wire } from "./wire.ts";

export type Responses = Readonly<Record<string, unknown>>;

/** Sends all requests of a sequence, one after the other, and returns the normalised answers by step. */
export async function runSequence(environment: Environment, { name, steps }: Sequence): Promise<Responses> {
  using wire = new Wire(environment.connection());
  const normaliser = new Normaliser(environment.url, Date.now());
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await wire.send({ id: "", method: "POST", path: "" }, "/api/v1/namespaces", JSON.stringify(namespace));
  const raw = new Map<string, unknown>();
  const responses: Record<string, ComparedResponse> = {};
  for (const step of steps) {
    if (raw.has(step.id)) throw new Error(`two steps of ${name} have the id "${step.id}"`);
    const answer = await sendStep(wire, step, name, raw).catch((cause: unknown) => {
      throw new Error(`${name}/${step.id} on ${environment.bed}: the request failed`, { cause });
    });
    raw.set(step.id, parseBody(step, answer));
    responses[step.id] = normalise(normaliser, step, answer);
  }
  return responses;
}

const deadlineMs = 10_000;

async function sendStep(
  wire: Wire,
  step: RequestStep,
  name: string,
  raw: ReadonlyMap<string, unknown>,
): Promise<RawResponse> {
  const path = fillIn(spellOut(step.path, name), raw);
  const body = bodyOf(step, raw);
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const answer = await wire.send(step, path, body);
    if (!step.until || Date.now() > deadline || step.until(parseBody(step, answer))) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function bodyOf({ body }: RequestStep, raw: ReadonlyMap<string, unknown>): string | undefined {
  if (body === undefined) return undefined;
  return fillIn(typeof body === "string" ? body : JSON.stringify(body), raw);
}
