// The picture of the gateway: who comes in, who answers, and what flows between.
import type { JSX } from 'preact';
import type { Client } from '../../api/control';
import { compact } from '../../logic/format';
import { flow, frontendNodes, MOST_NODES, middles, type Node, scaled, upstreamNodes } from '../../logic/map';
import { Card, Dot } from '../../parts/basics';
import { Logo } from '../../parts/icons';
import { load, now, status, upstreams } from '../../state/gateway';
import { recentCalls } from '../../state/live_calls';
import { href } from '../../state/router';
import { text } from '../../text';

const ROW = 46;
const words = text.overview;

interface EdgesProps {
  nodes: Node[];
  rows: number;
  /** Whether the nodes are on the left of the gateway. */
  left: boolean;
}

function Edges({ nodes, rows, left }: EdgesProps): JSX.Element {
  const height = rows * ROW;
  const centre = height / 2;
  const at = middles(nodes.length, rows, ROW);
  return (
    <svg class="edges" viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {nodes.map((node, i) => {
        const y = at[i] ?? centre;
        const path = left
          ? `M0 ${y}C55 ${y} 45 ${centre} 100 ${centre}`
          : `M0 ${centre}C55 ${centre} 45 ${y} 100 ${y}`;
        return (
          <g key={node.name} class={`edge ${node.health}`}>
            <path d={path} />
            {flow(node.rate) > 0 && <path class={`flow flow-${flow(node.rate)}`} d={path} />}
          </g>
        );
      })}
    </svg>
  );
}

function rateText(rate: number): string {
  return rate > 0 ? words.perSecond(compact(rate)) : '';
}

function FrontendNode({ node }: { node: Node }): JSX.Element {
  const detail = node.clients > 0 ? `${node.clients} ${words.clients.toLowerCase()}` : text.none;
  return (
    <a class="node" href={href('clients')}>
      <span class="node-name">
        <span class="clip">{node.name}</span>
      </span>
      <span class="node-detail">
        <span class="clip">{detail}</span>
        <b>{rateText(node.rate)}</b>
      </span>
    </a>
  );
}

function UpstreamNode({ node }: { node: Node }): JSX.Element {
  return (
    <a class={`node ${node.health}`} href={href('upstreams', { name: node.name })} title={node.detail}>
      <span class="node-name">
        <Dot tone={node.health} />
        <span class="clip">{node.name}</span>
      </span>
      <span class="node-detail">
        <span class="clip">{node.health === 'bad' ? text.state.down : node.detail}</span>
        <b>{rateText(node.rate)}</b>
      </span>
    </a>
  );
}

function Column(props: { title: string; rows: number; empty: string; nodes: JSX.Element[] }): JSX.Element {
  return (
    <ul class="map-column" aria-label={props.title} style={{ height: `${props.rows * ROW}px` }}>
      {props.nodes.map((node) => (
        <li key={node.key} style={{ height: `${ROW}px` }}>
          {node}
        </li>
      ))}
      {props.nodes.length === 0 && <li class="muted small">{props.empty}</li>}
    </ul>
  );
}

export function GatewayMap({ clients }: { clients: Client[] }): JSX.Element {
  const found = frontendNodes(clients, recentCalls.value, now.value);
  const total = load.value.data?.total?.calls_per_second ?? found.reduce((sum, node) => sum + node.rate, 0);
  const left = scaled(found, total).slice(0, MOST_NODES);
  const all = upstreamNodes(upstreams.value.data ?? [], load.value.data);
  const right = all.slice(0, MOST_NODES);
  const rows = Math.max(left.length, right.length, 3);
  const up = all.filter((node) => node.health !== 'bad').length;
  return (
    <Card title={words.map} class="map-card">
      <p class="hidden-text">{words.mapSummary(left.length, up, all.length)}</p>
      <div class="map">
        <Column
          title={words.frontends}
          rows={rows}
          empty={words.noFrontends}
          nodes={left.map((node) => <FrontendNode key={node.name} node={node} />)}
        />
        <Edges nodes={left} rows={rows} left />
        <div class={`hub ${status.value.data?.status.replace(' ', '-') ?? ''}`}>
          <Logo />
          <b>{words.perSecond(compact(total))}</b>
          <span class="muted small">{text.state[status.value.data?.status ?? 'ready']}</span>
        </div>
        <Edges nodes={right} rows={rows} left={false} />
        <Column
          title={words.upstreams}
          rows={rows}
          empty={words.noUpstreams}
          nodes={right.map((node) => <UpstreamNode key={node.name} node={node} />)}
        />
      </div>
      {all.length > right.length && (
        <p class="map-more small">
          <a href={href('upstreams')}>{words.moreUpstreams(all.length - right.length)}</a>
        </p>
      )}
    </Card>
  );
}
