import { describe, expect, it } from "vitest";
import { errorOf, Refused, TestFence } from "../testing/test-fence.ts";
import { type FencedCall, throughFence } from "./through-fence.ts";

describe("a write through a fence", () => {
  /** The check of its fence always passes. */
  class BlindFence extends TestFence {
    override check(): void {
      this.asked++;
    }
  }

  async function begun(fence: TestFence, signal?: AbortSignal) {
    const fencedCall = Promise.withResolvers<FencedCall>();
    const error = errorOf(
      throughFence(fence, { what: () => "patch", signal }, (call) => {
        fencedCall.resolve(call);
        return new Promise(() => {});
      }),
    );
    return { error, call: await fencedCall.promise };
  }

  it.each([false, true])("sends nothing after the fence closed, even if its check passes: %s", async (wasSent) => {
    const fence = new BlindFence();
    const { error, call } = await begun(fence);
    if (wasSent) call.beforeSending();
    fence.close();
    expect(call.signal.aborted).toBe(true);
    expect(call.beforeSending).toThrow(Refused);
    expect(await error).toMatchObject({ message: wasSent ? "patch: given up" : "patch: not sent" });
  });

  it("sends nothing more once its caller gave up", async () => {
    const [caller, reason] = [new AbortController(), new Error("enough")];
    const { error, call } = await begun(new TestFence(), caller.signal);
    call.beforeSending();
    caller.abort(reason);
    expect(call.beforeSending).toThrow(reason);
    expect(await error).toBe(reason);
  });

  it("that was refused before a second try was not processed", async () => {
    const fence = new TestFence();
    const { error, call } = await begun(fence);
    call.beforeSending();
    fence.isOpen = false;
    expect(call.beforeSending).toThrow("patch: not sent");
    expect(await error).toMatchObject({ message: "patch: not sent", cause: fence.why });
  });
});
