import { Client, type ClientOptions } from "../calls/client.ts";
import { StubApi, type StubRequest, type StubResponse, type StubTakeover } from "./stub-api.ts";

export const configMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "web", resourceVersion: "7" },
};

/** Starts a stub and a client for it. By default, the stub responds to every request with {@link configMap}. */
export async function stubbed(
  answer: (request: StubRequest) => StubResponse | StubTakeover = () => ({ body: configMap }),
  options: Partial<ClientOptions> = {},
) {
  const api = await StubApi.start(answer);
  const client = new Client({ connection: { server: api.url }, ...options });
  return {
    api,
    client,
    last: () => api.requests.at(-1),
    async [Symbol.asyncDispose]() {
      await client.close();
      await api[Symbol.asyncDispose]();
    },
  };
}
