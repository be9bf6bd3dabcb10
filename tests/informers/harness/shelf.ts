import { Client } from "@kubewright/client";
import { ConfigMap, Namespace } from "@kubewright/client/kinds";
import type { Environment } from "@kubewright/envtest";

/** ConfigMaps in a separate namespace, and an administrator's client to change them. */
export class Shelf implements AsyncDisposable {
  readonly namespace: string;
  readonly client: Client;

  static async make(env: Environment, namespace: string): Promise<Shelf> {
    const shelf = new Shelf(new Client({ connection: env.connection() }), namespace);
    await shelf.client.create(Namespace, { metadata: { name: namespace } });
    return shelf;
  }

  private constructor(client: Client, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  readonly list = (): Promise<readonly ConfigMap[]> => this.client.list(ConfigMap, { namespace: this.namespace });

  /** Creates `box-<from>` to `box-<below - 1>`, many at a time. */
  async fill(from: number, below: number, parallel = 32): Promise<void> {
    let next = from;
    const work = async (): Promise<void> => {
      while (next < below) await this.put(next++);
    };
    await Promise.all(Array.from({ length: parallel }, work));
  }

  async put(index: number): Promise<void> {
    await this.client.create(ConfigMap, {
      metadata: { name: `box-${index}`, namespace: this.namespace, labels: { half: index % 2 === 0 ? "even" : "odd" } },
      data: { index: String(index), text: "the content of box ".repeat(10) },
    });
  }

  async change(index: number, colour: string): Promise<void> {
    await this.client.patch(ConfigMap, `${this.namespace}/box-${index}`, { data: { colour } });
  }

  async drop(index: number): Promise<void> {
    await this.client.delete(ConfigMap, `${this.namespace}/box-${index}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}
