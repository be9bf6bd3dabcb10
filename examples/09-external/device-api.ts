import { type KubeObject, type Manager, splitKey } from "kubewright";

/**
 * Returns a client for the external system, which manages devices over HTTP.
 * The ID of a device is the key of its object. Counts each call.
 */
export function deviceApi({ clock, metrics }: Manager, url: string) {
  const labelNames = ["method", "code"] as const;
  const calls = metrics.counter({
    name: "device_calls_total",
    help: "Calls of the device API",
    labelNames,
  });

  async function ask(
    method: string,
    path: string,
    stop: AbortSignal,
    body: string | null = null,
  ): Promise<Response> {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(5_000)]);
    const answer = await fetch(`${url}/${path}`, {
      method,
      body,
      signal,
    }).catch((error: unknown) => {
      calls(method, "error").inc();
      throw error;
    });
    calls(method, String(answer.status)).inc();
    if (!answer.ok && answer.status !== 404)
      throw new Error(`${method} ${path}: ${answer.status}`);
    return answer;
  }

  /**
   * Yields devices with news. A lost report does not matter, because all
   * devices are also queried at an interval.
   */
  async function* reports(
    signal: AbortSignal,
  ): AsyncGenerator<KubeObject, void> {
    while (!signal.aborted) {
      const answered = ask("GET", "reports", signal).then((answer) =>
        answer.json(),
      );
      const ids: unknown = await answered.catch(() =>
        clock.sleep(1_000, signal),
      );
      for (const id of Array.isArray(ids) ? ids : []) {
        const { namespace = "default", name } = splitKey(String(id));
        yield {
          apiVersion: "things.example.com/v1",
          kind: "Device",
          metadata: { namespace, name },
        };
      }
    }
  }

  return {
    /**
     * Registers a device with its settings, or changes them. Resolves to true
     * if it is online.
     */
    async put(
      id: string,
      settings: Readonly<Record<string, string>>,
      signal: AbortSignal,
    ): Promise<boolean> {
      const answer = await ask(
        "PUT",
        `devices/${id}`,
        signal,
        JSON.stringify(settings),
      );
      return (
        ((await answer.json()) as { readonly online?: unknown }).online === true
      );
    },
    delete: async (id: string, signal: AbortSignal) =>
      void (await ask("DELETE", `devices/${id}`, signal)),
    reports,
  };
}
