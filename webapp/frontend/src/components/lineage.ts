/** Where a policy version comes from and what came of it, as a tree with a place for each version. Pure. */
import { stratify, tree } from "d3-hierarchy";

export interface Version {
  number: number;
  parent: number | null;
}

export interface Placed<V extends Version> {
  version: V;
  /** Centre, from the top left corner. */
  x: number;
  y: number;
}

export interface Drawing<V extends Version> {
  nodes: Placed<V>[];
  /** From parent to child. */
  edges: [Placed<V>, Placed<V>][];
  width: number;
  height: number;
}

export const NODE = { width: 172, height: 50, across: 228, down: 62 };
const MOST_ANCESTORS = 6;

/** A version, its ancestors, what else was trained from those, and everything trained from it. */
export function family<V extends Version>(known: V[], here: number): V[] {
  const byNumber = new Map(known.map((version) => [version.number, version]));
  const path = new Set<number>();
  for (let at = byNumber.get(here); at && path.size <= MOST_ANCESTORS; at = at.parent === null ? undefined : byNumber.get(at.parent)) {
    path.add(at.number);
  }
  const kept = new Set(path);
  // Parents have lower numbers than children, so one pass in order finds all descendants.
  const below = new Set([here]);
  for (const { number, parent } of [...known].sort((a, b) => a.number - b.number)) {
    if (parent === null) continue;
    if (below.has(parent)) below.add(number);
    if (below.has(parent) || path.has(parent)) kept.add(number);
  }
  return known.filter(({ number }) => kept.has(number));
}

/** Oldest on the left, one column a generation. */
export function drawn<V extends Version>(versions: V[]): Drawing<V> {
  const numbers = new Set(versions.map(({ number }) => number));
  const oldest = Math.min(...numbers);
  const root = stratify<V>()
    .id(({ number }) => String(number))
    .parentId(({ number, parent }) => (number === oldest || parent === null || !numbers.has(parent) ? "" : String(parent)))(
    versions,
  );
  const laid = tree<V>().nodeSize([NODE.down, NODE.across])(root);
  const top = Math.min(...laid.descendants().map(({ x }) => x));
  const placed = new Map(
    laid.descendants().map((node) => [
      node.id,
      { version: node.data, x: node.y + NODE.width / 2, y: node.x - top + NODE.height / 2 },
    ]),
  );
  const nodes = [...placed.values()];
  const edges = laid.links().flatMap(({ source, target }): [Placed<V>, Placed<V>][] => {
    const [from, to] = [placed.get(source.id), placed.get(target.id)];
    return from && to ? [[from, to]] : [];
  });
  return {
    nodes,
    edges,
    width: Math.max(...nodes.map(({ x }) => x)) + NODE.width / 2,
    height: Math.max(...nodes.map(({ y }) => y)) + NODE.height / 2,
  };
}
