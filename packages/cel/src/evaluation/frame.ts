import type { CostMeter } from "../text/cost-meter.ts";
import type { CelValue } from "../values/value.ts";

/** Values of an expression's variables. If a variable's value is a function, it is called when the variable is first used. */
export type Bindings = Readonly<Record<string, CelValue | (() => CelValue)>>;

export interface Frame {
  readonly bindings: Bindings;
  readonly locals: CelValue[];
  readonly lazy: Map<string, CelValue>;
  readonly meter: CostMeter;
}

export type Step = (frame: Frame) => CelValue;
