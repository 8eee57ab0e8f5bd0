// How the stages of a call are laid out as bars.
import type { Stage } from '../api/control';

export interface Bar {
  stage: string;
  failed: boolean;
  began: number;
  took: number;
  /** In percent of the width. */
  left: number;
  width: number;
}

export interface Waterfall {
  bars: Bar[];
  from: number;
  to: number;
  /** Times at round distances, for the lines of the grid. */
  ticks: { at: number; left: number }[];
}

const SMALLEST_WIDTH = 0.4;

/** 1, 2 or 5 times a power of ten, such that about `count` of them fill the span. */
export function step(span: number, count: number): number {
  const rough = span / Math.max(1, count);
  if (!(rough > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough) ?? 10;
  return factor * power;
}

export function layOut(stages: readonly Stage[], tookMs: number): Waterfall {
  let from = 0;
  let to = Math.max(tookMs, 0);
  for (const { began_ms, took_ms } of stages) {
    from = Math.min(from, began_ms);
    to = Math.max(to, began_ms + took_ms);
  }
  const span = to - from || 1;
  const percent = (value: number): number => (value / span) * 100;
  const bars = stages.map(({ stage, began_ms, took_ms, failed }) => {
    const width = Math.max(percent(took_ms), SMALLEST_WIDTH);
    const left = Math.min(percent(began_ms - from), 100 - width);
    return { stage, failed: failed ?? false, began: began_ms, took: took_ms, left, width };
  });
  const distance = step(span, 5);
  const ticks: Waterfall['ticks'] = [];
  for (let at = Math.ceil(from / distance) * distance; at <= to && ticks.length < 20; at += distance) {
    ticks.push({ at, left: percent(at - from) });
  }
  return { bars, from, to, ticks };
}
