import type { OutsideWorld } from "@kubewright/simulation";

/** Address of the store outside of the cluster. */
export const bucketUrl = "https://bucket.example.com";

type Fault = "unavailable" | "responseLost" | "slow";
const faults = ["unavailable", "responseLost", "slow"] as const;
/** Numbers of requests that fail. */
const counts = [1, 3, Number.POSITIVE_INFINITY] as const;
const texts: Readonly<Record<Fault, string>> = {
  unavailable: "answers 503 without an effect",
  responseLost: "processes writes, but loses their responses",
  slow: "takes a minute for each response",
};

/**
 * Returns a fake of a store of texts: `PUT /key` stores one, `POST /key` adds one, `GET /key` returns those of a key, and `DELETE /key`
 * deletes them.
 */
export function fakeBucket(): OutsideWorld {
  const stored = new Map<string, readonly string[]>();
  let fault: Fault | undefined;
  let left = 0;
  const process = async ({ method, url, body }: Request): Promise<Response> => {
    const key = new URL(url).pathname.slice(1);
    const former = stored.get(key) ?? [];
    if (method === "GET") return Response.json(former);
    const text = body ? await new Response(body).text() : "";
    if (method === "PUT") stored.set(key, [text]);
    if (method === "POST") stored.set(key, [...former, text]);
    if (method === "DELETE") stored.delete(key);
    return new Response(null, { status: 204 });
  };
  return {
    name: "bucket",
    fetch: (request) => {
      if (!request.url.startsWith(bucketUrl)) return undefined;
      const isSpared = fault === "responseLost" && request.method === "GET";
      const failure = !isSpared && left-- > 0 ? fault : undefined;
      if (failure === "unavailable") return Promise.resolve(new Response("try again later", { status: 503 }));
      const response = process(request);
      if (failure === "slow") return new Promise((resolve) => void setTimeout(() => resolve(response), 60_000));
      return failure === "responseLost" ? response.then(() => Promise.reject(new TypeError("fetch failed"))) : response;
    },
    faults: (random) => {
      fault = faults[Math.floor(random() * faults.length)] ?? "unavailable";
      left = counts[Math.floor(random() * counts.length)] ?? 1;
      return `${texts[fault]}, ${left === Number.POSITIVE_INFINITY ? "until further notice" : `${left} times`}`;
    },
    heal: () => {
      left = 0;
    },
    reset: () => {
      left = 0;
      stored.clear();
    },
    state: () => Object.fromEntries(stored),
  };
}
