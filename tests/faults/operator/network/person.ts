import type { CnfSimulator } from "@kubewright/openwrt/testing";

const base = "/cgi-bin/luci/";

/** A person who changes objects on a CNF by hand, over the same REST API, and has own objects there. */
export class Person {
  readonly #simulator: CnfSimulator;
  readonly #password: string;
  /** The person's own objects as last returned by the CNF, by path and name, in the order of the CNF. */
  readonly own = new Map<string, Map<string, string>>();
  #token: string | undefined;

  constructor(simulator: CnfSimulator, password: string) {
    this.#simulator = simulator;
    this.#password = password;
  }

  /** Called when the CNF was reset. */
  hasLost(): void {
    this.own.clear();
    this.#token = undefined;
  }

  /** Creates or changes one of the person's own objects. */
  async putOwn(path: string, object: Readonly<Record<string, unknown>> & { readonly name: string }): Promise<void> {
    const mine = this.own.get(path) ?? new Map<string, string>();
    const known = mine.has(object.name);
    const address = `sdewan/${path}${known ? `/${object.name}` : ""}`;
    const { status } = await this.#send(known ? "PUT" : "POST", address, object);
    if (status >= 300) return; // refused by the CNF
    const shown = await this.#send("GET", `sdewan/${path}/${object.name}`);
    mine.delete(object.name); // the CNF moves a changed object to the end
    mine.set(object.name, shown.body);
    this.own.set(path, mine);
  }

  /** Returns the objects of a CNF at a path, by name; several of one name are joined. */
  holdings(path: string): ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]> {
    const answer = this.#simulator.config()[path];
    const list = typeof answer === "object" && answer !== null ? Object.values(answer)[0] : [];
    const objects: readonly Readonly<Record<string, unknown>>[] = Array.isArray(list) ? list : [];
    return Map.groupBy(objects, ({ name }) => String(name));
  }

  /** Changes a field of an object of somebody else. */
  async tamper(path: string, name: string, change: Readonly<Record<string, unknown>>): Promise<void> {
    const [object] = this.holdings(path).get(name) ?? [];
    if (object) await this.#send("PUT", `sdewan/${path}/${name}`, { ...object, ...change });
  }

  async restartFirewall(action: "restart" | "reload"): Promise<void> {
    await this.#send("PUT", "sdewan/v1/service/firewall", { action });
  }

  async remove(path: string, name: string): Promise<void> {
    await this.#send("DELETE", `sdewan/${path}/${name}`);
  }

  async show(path: string, name: string): Promise<string> {
    return (await this.#send("GET", `sdewan/${path}/${name}`)).body;
  }

  async #send(method: string, path: string, body?: object) {
    const answer = await this.#sendOnce(method, path, body);
    if (answer.status !== 403) return answer;
    this.#token = undefined; // the sessions of the CNF were ended
    return this.#sendOnce(method, path, body);
  }

  async #sendOnce(method: string, path: string, body?: object) {
    this.#token ??= await this.#logIn();
    const answer = await this.#simulator.answer({
      method,
      path: `${base}${path}`,
      headers: { cookie: `sysauth=${this.#token}`, "content-type": "application/json" },
      body: body && Buffer.from(JSON.stringify(body)),
      isChunked: false,
    });
    if (!answer) throw new Error("the simulated CNF gives no answer");
    return answer;
  }

  async #logIn(): Promise<string> {
    const answer = await this.#simulator.answer({
      method: "POST",
      path: base,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: Buffer.from(new URLSearchParams({ luci_username: "root", luci_password: this.#password }).toString()),
      isChunked: false,
    });
    const token = /^sysauth=([^;]+)/.exec(answer?.headers?.["Set-Cookie"] ?? "")?.[1];
    if (token === undefined) throw new Error("the simulated CNF refuses the log-in");
    return token;
  }
}
