import { expect, it } from "vitest";
import { touchedNote } from "./notes.ts";

const noted = (annotations?: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "A",
  metadata: { name: "a", ...(annotations ? { annotations } : {}) },
});

it.each(["applied-purpose", "sent-certificates", "applied-secrets"])(
  "%s may only be set, changed and removed by the operator",
  (name) => {
    const note = `kubewright.dev/${name}`;
    const having = noted({ [note]: "x", own: "y" });
    expect(touchedNote(having, undefined)).toBe(note);
    expect(touchedNote(having, noted())).toBe(note);
    expect(touchedNote(noted({ [note]: "z" }), having)).toBe(note);
    expect(touchedNote(noted({ [note]: "" }), noted())).toBe(note);
    expect(touchedNote(noted({ own: "y" }), having)).toBe(note);
    expect(touchedNote(noted(), having)).toBe(note);
    expect(touchedNote(noted({ [note]: "x", own: "z" }), having)).toBeUndefined();
    expect(touchedNote(noted({ own: "z" }), undefined)).toBeUndefined();
  },
);
