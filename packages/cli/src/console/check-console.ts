import { once } from "node:events";
import type { IncomingMessage, RequestOptions } from "node:http";
import { NotSoError } from "../command/errors.ts";

/** What is asked once, before a person is sent there. */
export interface CheckedConsole {
  /** `http://127.0.0.1:41234` */
  readonly origin: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

const path = "/debug/kubewright/v1/overview";
const patienceMs = 15_000;

/**
 * Whether a console answers there, and lets the bearer of the token in. Its certificate is not looked at: what is at the other end of the
 * tunnel is for the cluster to say.
 *
 * @returns the status it answers with
 * @throws {NotSoError} if nothing answers, or something else does
 */
export async function checkConsole({ origin, token, signal }: CheckedConsole): Promise<200 | 401 | 403> {
  const { request } = origin.startsWith("https:") ? await import("node:https") : await import("node:http");
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    headers: { authorization: `Bearer ${token}` },
    agent: false,
    rejectUnauthorized: false,
    signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
  };
  const asked = request(`${origin}${path}`, options).end();
  const [answer]: IncomingMessage[] = await once(asked, "response").catch((cause: unknown) => {
    signal.throwIfAborted();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new NotSoError(`nothing answers there (${why}); does the program call addConsole, and does it run?`, {
      cause,
    });
  });
  answer?.destroy();
  const { statusCode } = answer ?? {};
  if (statusCode === 200 || statusCode === 401 || statusCode === 403) return statusCode;
  throw new NotSoError(`something answers there with ${statusCode}, and is no console`);
}
