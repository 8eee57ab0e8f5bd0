// A plot over time. uPlot draws on a canvas; the legend is text, with the values under the pointer.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { theme } from '../state/theme';
import { text } from '../text';

export interface Line {
  label: string;
  /** The name of a colour of the style. */
  colour: string;
  values: (number | null)[];
  filled?: boolean;
}

interface ChartProps {
  title: string;
  at: number[];
  lines: Line[];
  format: (value: number) => string;
  height?: number;
}

function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function axis(extra: Partial<uPlot.Axis>): uPlot.Axis {
  return {
    stroke: colourOf('--muted'),
    font: '11px system-ui, sans-serif',
    grid: { stroke: colourOf('--line'), width: 1 },
    ticks: { show: false },
    ...extra,
  };
}

function optionsOf(props: ChartProps, width: number, onPoint: (index: number | null) => void): uPlot.Options {
  const { lines, format, height = 170 } = props;
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    padding: [8, 18, 0, 0],
    hooks: { setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)] },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(max * 1.1, 1)] } },
    axes: [
      axis({ space: 70, size: 26, values: (_plot, splits) => clocks(splits) }),
      axis({ size: 58, space: 34, values: (_plot, splits) => splits.map((split) => format(split)) }),
    ],
    series: [
      {},
      ...lines.map((line): uPlot.Series => {
        const stroke = colourOf(line.colour);
        const series: uPlot.Series = { stroke, width: 1.6, points: { show: false }, spanGaps: false };
        if (line.filled) series.fill = `${stroke}22`;
        return series;
      }),
    ],
  };
}

function clock(seconds: number, exact = true): string {
  const format: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  return new Date(seconds * 1000).toLocaleTimeString(
    undefined,
    exact ? { ...format, second: '2-digit' } : format,
  );
}

/** Seconds only where the times are less than a minute apart. */
function clocks(splits: number[]): string[] {
  const exact = splits.length > 1 && (splits[1] ?? 0) - (splits[0] ?? 0) < 60;
  return splits.map((split) => clock(split, exact));
}

export function Chart(props: ChartProps): JSX.Element {
  const { title, at, lines, format } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const [point, setPoint] = useState<number | null>(null);
  const colours = theme.value;
  // Data comes with setData below.
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const made = new uPlot(
      optionsOf(props, element.clientWidth || 300, setPoint),
      [[], ...lines.map(() => [])],
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0) made.setSize({ width: element.clientWidth, height: made.height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [colours, lines.length]);
  // The plot is made anew with the theme.
  useEffect(() => {
    plot.current?.setData([at, ...lines.map((line) => line.values)]);
  }, [at, lines, colours]);
  const index = point !== null && point < at.length ? point : at.length - 1;
  const textOf = (line: Line): string => {
    const value = line.values[index];
    return value === null || value === undefined ? text.none : format(value);
  };
  const summary = lines.map((line) => `${line.label} ${textOf(line)}`).join(', ');
  return (
    <figure class="chart">
      <figcaption class="legend">
        {lines.map((line) => (
          <span key={line.label}>
            <i class={`swatch ${line.colour.slice(2)}`} aria-hidden="true" />
            {line.label} <b>{textOf(line)}</b>
          </span>
        ))}
        {point !== null && at[index] !== undefined && <span class="muted">{clock(at[index] ?? 0)}</span>}
      </figcaption>
      <div ref={box} class="plot" role="img" aria-label={text.overview.plotSummary(title, summary)} />
    </figure>
  );
}
