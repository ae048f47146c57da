/* Where the nodes of a graph stand: related ones near each other (Fruchterman and Reingold). */

const APART = 135; // the length that an edge tends to
const FAR = 330; // from where on two nodes do not push each other
const CROWD = 6; // neighbours that have room around a node
const ROUNDS = 260;
const PULL = { x: 0.16, y: 0.24 }; // of the middle, which keeps all together, wider than high

/* Gives every one of `nodes` {id} a place in `places` (id to {x, y}), those that have one from
   there on, a new one beside a neighbour; all are moved. The same walk gives the same places. */
export function spread(nodes, edges, places) {
  const isNew = nodes.filter((one) => !places.has(one.id));
  for (const one of isNew) places.set(one.id, beside(one.id, edges, places));
  const points = nodes.map((one) => places.get(one.id));
  const number = new Map(nodes.map((one, at) => [one.id, at]));
  const pairs = joined(edges, number);
  for (let round = 0; round < ROUNDS; round += 1) step(points, pairs, APART * (1 - round / ROUNDS));
}

/* The numbers of the nodes that are joined, each pair once, with the share of the pull between them:
   where both have many neighbours they pull less, so that there is room for names, and around one
   with very many these stand further away. */
function joined(edges, number) {
  const pairs = new Map();
  const many = new Map();
  for (const { source, target } of edges) {
    const [a, b] = [number.get(source), number.get(target)].sort((one, other) => one - other);
    if (a === b || a === undefined || b === undefined || pairs.has(`${a} ${b}`)) continue;
    pairs.set(`${a} ${b}`, [a, b]);
    for (const one of [a, b]) many.set(one, (many.get(one) ?? 0) + 1);
  }
  return [...pairs.values()].map(([a, b]) => {
    const [fewer, more] = [many.get(a), many.get(b)].sort((one, other) => one - other);
    return [a, b, 1 / Math.sqrt(fewer) / Math.max(1, more / CROWD)];
  });
}

function beside(id, edges, places) {
  const edge = edges.find((one) => (one.source === id ? places.has(one.target) : one.target === id && places.has(one.source)));
  const near = edge && places.get(edge.source === id ? edge.target : edge.source);
  const { x, y } = near ?? { x: 0, y: 0 };
  const angle = 2.4 * (places.size + turn(id));
  const far = near ? APART : 40 * Math.sqrt(places.size + 1);
  return { x: x + far * Math.cos(angle), y: y + far * Math.sin(angle) };
}

/* A number of a text, the same each time. */
function turn(text) {
  let sum = 0;
  for (const letter of text) sum = (sum * 31 + letter.codePointAt(0)) % 997;
  return sum;
}

/* Moves every point by at most `most`: away from all others, and towards those that it is joined to. */
function step(points, pairs, most) {
  const moves = points.map(({ x, y }) => ({ x: -x * PULL.x, y: -y * PULL.y }));
  const push = (a, b, dx, dy, share) => {
    moves[a].x += dx * share;
    moves[a].y += dy * share;
    moves[b].x -= dx * share;
    moves[b].y -= dy * share;
  };
  for (let a = 1; a < points.length; a += 1) {
    for (let b = 0; b < a; b += 1) {
      const [dx, dy] = [points[a].x - points[b].x, points[a].y - points[b].y];
      const square = Math.max(1, dx * dx + dy * dy);
      if (square < FAR ** 2) push(a, b, dx, dy, APART ** 2 / square);
    }
  }
  for (const [a, b, pull] of pairs) {
    const [dx, dy] = [points[a].x - points[b].x, points[a].y - points[b].y];
    push(a, b, dx, dy, (-pull * Math.sqrt(dx * dx + dy * dy)) / APART);
  }
  moves.forEach(({ x, y }, at) => {
    const share = Math.min(1, most / Math.max(1, Math.hypot(x, y)));
    points[at].x += x * share;
    points[at].y += y * share;
  });
}
