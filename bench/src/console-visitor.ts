/**
 * The console's screens that send requests in addition to the stream of events, with these requests and their
 * interval in seconds.
 */
export const screens = {
  overview: [],
  queue: [["queues/bench", 1]],
  object: [
    ["reconciles?controller=bench&key=bench%2Fweb-1", 1],
    ["objects/bench?key=bench%2Fweb-1", 3],
  ],
} as const satisfies Record<string, readonly (readonly [path: string, everySeconds: number])[]>;

const base = "/debug/kubewright/v1/";

/**
 * Simulates a browser with an open screen of a console: sends the same requests as the console's page, and ignores the
 * responses.
 */
export class ConsoleVisitor implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #listening: Promise<void>;
  #answers = 0;

  private constructor(origin: string, session: string, screen: keyof typeof screens) {
    this.#listening = this.#listen(origin, session, [["overview", 5], ...screens[screen]]).catch((error: unknown) => {
      if (!this.#stop.signal.aborted) throw error;
    });
  }

  /** @param url address of the console, with a token in its fragment */
  static async enter(url: string, screen: keyof typeof screens): Promise<ConsoleVisitor> {
    const { origin, hash } = new URL(url);
    const answer = await fetch(`${origin}${base}session`, { method: "POST", body: hash.slice("#t=".length) });
    const { session } = (await answer.json()) as { readonly session?: string };
    if (!session) throw new Error(`the console answered ${answer.status}`);
    return new ConsoleVisitor(origin, session, screen);
  }

  /** Number of responses, including the events of the stream. */
  get answers(): number {
    return this.#answers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#listening;
  }

  async #listen(origin: string, session: string, asked: readonly (readonly [string, number])[]): Promise<void> {
    const { signal } = this.#stop;
    const get = async (path: string): Promise<Response> => {
      const answer = await fetch(`${origin}${base}${path}`, { headers: { "kubewright-session": session }, signal });
      if (!answer.ok) throw new Error(`${path}: the console answered ${answer.status}`);
      this.#answers++;
      return answer;
    };
    const { body } = await get("stream");
    if (!body) throw new Error("the console has no stream");
    let seconds = 0;
    for await (const _tick of body) {
      const due = asked.filter(([, everySeconds]) => seconds % everySeconds === 0);
      for (const [path] of due) await (await get(path)).arrayBuffer();
      seconds++;
      this.#answers++;
    }
  }
}
