// A long list of which only the visible rows are in the document.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface VirtualProps<T> {
  items: readonly T[];
  rowHeight: number;
  height: string;
  label: string;
  keyOf: (item: T) => string;
  render: (item: T) => ComponentChildren;
  /** The row to bring into view. */
  selected?: number;
}

const BEYOND = 6;

export function Virtual<T>(props: VirtualProps<T>): JSX.Element {
  const { items, rowHeight, height, label, keyOf, render, selected = -1 } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [visible, setVisible] = useState(20);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setVisible(Math.ceil(element.clientHeight / rowHeight)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [rowHeight]);
  useEffect(() => {
    const element = box.current;
    if (!element || selected < 0) return;
    const at = selected * rowHeight;
    if (at < element.scrollTop || at + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = Math.max(0, at - element.clientHeight / 2);
    }
  }, [selected, rowHeight]);
  const first = Math.max(0, Math.floor(top / rowHeight) - BEYOND);
  const rows = items.slice(first, first + visible + 2 * BEYOND);
  return (
    <div
      ref={box}
      class="virtual"
      style={{ height }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <ul class="inner" aria-label={label} style={{ height: `${items.length * rowHeight}px` }}>
        {rows.map((item, i) => (
          <li
            key={keyOf(item)}
            class="item"
            aria-setsize={items.length}
            aria-posinset={first + i + 1}
            style={{ top: `${(first + i) * rowHeight}px`, height: `${rowHeight}px` }}
          >
            {render(item)}
          </li>
        ))}
      </ul>
    </div>
  );
}
