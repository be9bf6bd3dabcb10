import { expect, it } from "vitest";
import { recordSpans } from "./testing/record-spans.ts";
import { Tracer } from "./tracer.ts";

it("does what the README shows", async () => {
  const tracer = new Tracer("@example/shop");

  async function restock(item: string): Promise<number> {
    if (!tracer.isOn) return order(item);
    return tracer.within("restock", { attributes: { item } }, async (span) => {
      const ordered = await order(item);
      span.set({ ordered });
      return ordered;
    });
  }
  const order = async (item: string): Promise<number> => item.length;

  expect(await restock("apples")).toBe(6);
  using recording = recordSpans();
  await restock("apples");
  expect(recording.spans[0]?.attributes).toEqual({ item: "apples", ordered: 6 });
});
